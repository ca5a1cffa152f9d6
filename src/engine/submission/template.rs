//! The order file for this very moment, ready to edit.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::engine::{Asked, Json, KindInfo, Side, Stop};

use super::{Due, MATCH_DIGITS};

/// Comments are broken at this column.
const WIDTH: usize = 100;

/// Writes the order file for what is due. `schema` is where an editor finds its JSON Schema.
pub fn template(due: &Due<'_>, schema: &str) -> String {
    let Some(side) = due.stop.who() else {
        return "# The game is over: no orders are due.\n".into();
    };
    let mut file = format!("# yaml-language-server: $schema={schema}\n");
    comment(&mut file, 0, &due.table.headline(due.view.state));
    comment(&mut file, 0, "Lines that begin with `#` are remarks. `garcia check FILE` finds every mistake at once.");
    let _ = writeln!(file, "game: {}", due.table.ruleset().id());
    if let Some(id) = due.game_id {
        // Quoted, for a number of eight digits is a number to other readers of YAML.
        let _ = writeln!(file, "match: \"{}\"", id.get(..MATCH_DIGITS).unwrap_or(id));
    }
    let _ = writeln!(file, "side: {side}");
    let _ = writeln!(file, "turn: {}", due.table.turn(due.view.state));
    let _ = writeln!(file, "packet: {}", due.stop.ask());
    match due.stop {
        Stop::Answers { questions, .. } => {
            answers(&mut file, questions);
            besides(&mut file, due, side);
        }
        Stop::Facts { .. } => {
            file.push('\n');
            comment(&mut file, 0, "Only hidden facts are awaited; your program states them by itself.");
            return file;
        }
        _ => {
            let orders = due.table.template(due.view, due.stop);
            let _ = write!(file, "\norders:\n{}\n", orders.trim_end());
            kinds(&mut file, due, side, true);
            kinds(&mut file, due, side, false);
        }
    }
    file.push('\n');
    comment(&mut file, 0, "`note` is signed and shown to your opponent; `private-note` stays in this file.");
    file.push_str("# note:\n# private-note:\n");
    file
}

fn answers(file: &mut String, questions: &[Asked]) {
    file.push('\n');
    comment(file, 0, "Your answers decide how the turn goes on. `default` is what happens if you say nothing.");
    file.push_str("answers:\n");
    for asked in questions {
        comment(file, 2, &format!("{} {}", asked.clause, asked.text));
        let list: Vec<String> = asked.options.iter().map(flow).collect();
        let word = if asked.complete { "choices" } else { "for example" };
        comment(file, 2, &format!("  {word}: {}   default: {}", list.join("  "), flow(&asked.default)));
        let _ = writeln!(file, "  - key: {}", asked.key);
        file.push_str("    choice: default\n");
    }
}

/// What an answers file may lay down for questions still to come, as remarks: nothing changes unless it is typed.
fn besides(file: &mut String, due: &Due<'_>, side: Side) {
    for (key, own, shut) in [("policies", true, due.shut.policies), ("standing", false, due.shut.standing)] {
        let kinds: Vec<&KindInfo> = due.open_kinds(side, own).collect();
        if shut.is_some() || kinds.is_empty() {
            continue;
        }
        let (from, whose) = if own { ("from here on", "these orders are") } else { ("", "your opponent's orders are") };
        file.push('\n');
        let text =
            format!("You may lay down {from} what holds while {whose} carried out, so that fewer questions come.");
        comment(file, 0, &text.replace("  ", " "));
        let _ = writeln!(file, "# {key}:");
        for info in kinds {
            let forms = due.table.ruleset().forms(info, &[side]);
            let forms = if forms.is_empty() { "default".to_owned() } else { forms.join("  |  ") };
            comment(file, 0, &format!("  {}: {forms}", info.kind));
        }
    }
}

/// Every kind of question that may come up, with its default in words and `default` filled in.
fn kinds(file: &mut String, due: &Due<'_>, side: Side, own: bool) {
    let quiet = due.table.ruleset().unquestioned(due.stop.ask());
    if own && quiet {
        return;
    }
    let kinds: Vec<&KindInfo> = due.open_kinds(side, own).collect();
    if kinds.is_empty() {
        return;
    }
    file.push('\n');
    let ask = if due.questions.ask { ", `ask` (the game stops and asks you)" } else { "" };
    let (when, until) = match own {
        true => ("while these orders are carried out", ""),
        false => ("while your opponent's orders are carried out", ", in force until you replace them"),
    };
    comment(file, 0, &format!("Questions to you {when}{until}. Say `default`{ask} or what you want."));
    let nothing = BTreeMap::new();
    let (key, said) = if own { ("policies", &nothing) } else { ("standing", due.standing) };
    let _ = writeln!(file, "{key}:");
    let explained: Vec<&str> = match own || quiet {
        true => Vec::new(),
        false => due.open_kinds(side, true).map(|info| info.kind.0).collect(),
    };
    for info in kinds {
        let value = said.get(info.kind.0).map_or_else(|| "default".into(), flow);
        if explained.contains(&info.kind.0) {
            let _ = writeln!(file, "  {}: {value}   # as above", info.kind);
            continue;
        }
        comment(file, 2, &format!("{} {}", info.clause, info.text));
        comment(file, 2, &format!("  default: {}", info.default));
        let forms = due.table.ruleset().forms(info, &[side]);
        if !forms.is_empty() {
            comment(file, 2, &format!("  or: {}", forms.join("  |  ")));
        }
        let _ = writeln!(file, "  {}: {value}", info.kind);
    }
}

/// A remark, broken at the right margin; the indent of the first line is kept in the next ones.
fn comment(file: &mut String, indent: usize, text: &str) {
    let inner = text.len() - text.trim_start().len();
    let mut line = String::new();
    let room = WIDTH.saturating_sub(indent + 2);
    let mut begin = |line: &mut String| {
        let _ = writeln!(file, "{:indent$}# {}", "", line.trim_end());
        line.clear();
        let _ = write!(line, "{:width$}", "", width = inner + 2);
    };
    let _ = write!(line, "{:inner$}", "");
    let mut empty = true;
    for word in text.trim_start().split(' ') {
        if !empty && line.chars().count() + word.chars().count() > room {
            begin(&mut line);
        }
        line.push_str(word);
        line.push(' ');
        empty = false;
    }
    begin(&mut line);
}

/// A value as a player would type it, on one line.
pub fn flow(value: &Json) -> String {
    match value {
        Json::Bool(truth) => if *truth { "yes" } else { "no" }.into(),
        Json::Int(number) => number.to_string(),
        Json::Str(text) => scalar(text),
        Json::List(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Json::Map(members) => {
            let member = |(key, value): (&String, &Json)| format!("{}: {}", scalar(key), flow(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Plain where that is safe in a flow list, else in double quotes.
fn scalar(text: &str) -> String {
    let safe = |c: char| c.is_alphanumeric() || "._/- ".contains(c);
    let plain = text.starts_with(char::is_alphanumeric) && text.chars().all(safe) && text.trim_end() == text;
    // `2:1` is safe too: a colon means something only before a blank or a bracket.
    let ratio = text.split_once(':').is_some_and(|(a, b)| {
        !a.is_empty() && !b.is_empty() && (a.bytes().chain(b.bytes())).all(|c| c.is_ascii_alphanumeric())
    });
    if plain || ratio {
        return text.to_owned();
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_shown_as_one_would_type_it() {
        let value = Json::object([
            ("hexes", Json::List(vec![Json::Str("0816".into()), Json::Str("San Juan".into())])),
            ("press", Json::Str("2:1".into())),
            ("hold", Json::Bool(true)),
        ]);
        assert_eq!(flow(&value), "{hexes: [0816, San Juan], hold: yes, press: 2:1}");
        assert_eq!(flow(&Json::Str("- a: \"b\"".into())), "\"- a: \\\"b\\\"\"");
        assert_eq!(flow(&Json::Str(String::new())), "\"\"");
    }

    #[test]
    fn a_long_remark_is_broken_between_words() {
        let mut file = String::new();
        comment(&mut file, 2, &format!("  default: {}", "word ".repeat(40)));
        assert!(file.lines().count() > 1);
        assert!(file.lines().all(|line| line.starts_with("  #   ") && line.len() <= WIDTH + 2));
        assert_eq!(file.matches("word").count(), 40);
    }
}
