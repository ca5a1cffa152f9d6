//! Reports as one HTML page that needs nothing else: the diary, the map before and after, and both linked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::json;

use crate::draw::svg::{self, escape as escape_svg};
use crate::draw::{Part, Window};
use crate::engine::DiaryEntry;
use crate::scene::{Deed, Incident, Scene};

use super::faults::visible;
use super::{Message, Page, Section, clause_list, numeric, result, terms};

const STYLE: &str = include_str!("page.css");
/// What a mail program needs to set a report well.
const LETTER: &str = "p.line{margin:.25em 0}.d1{margin-left:1.5em!important}.d2{margin-left:3em!important}\
.d3{margin-left:4.5em!important}h3{margin:1em 0 .2em}h4{margin:.8em 0 0}.clause{color:#6d6354;font-size:.8em}\
details{margin:.15em 0;font-family:monospace}table{border-collapse:collapse;margin:.5em 0}\
th,td{padding:.1em .7em;border-bottom:1px solid #c9bfa8;text-align:left;vertical-align:top}td.n,th.n{text-align:right}";
/// What makes a page of reports move.
pub const SCRIPT: &str = include_str!("page.js");

/// What a page tells of one packet: the diary, the position before and after, and where things happened.
pub struct Told {
    /// The report.
    pub page: Page,
    /// The position it began with.
    pub before: Scene,
    /// The position it led to.
    pub after: Scene,
    /// What happened, by the numbers of the events.
    pub happened: Vec<Incident>,
}

impl Told {
    /// A page without a map.
    pub fn plain(page: Page) -> Told {
        Told { page, before: Scene::default(), after: Scene::default(), happened: Vec::new() }
    }
}

/// Writes one or more reports as one page.
pub fn html(title: &str, turns: &[Told]) -> String {
    let title = escape(title);
    let several = turns.len() > 1;
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>{}\n{STYLE}</style>\n</head>\n<body{}>\n",
        svg::STYLE,
        if several { " class=\"several\"" } else { "" }
    );
    if several {
        out.push_str(&contents(&title, turns));
    }
    shared(turns, &mut out);
    out.push_str("<main>\n");
    for (number, told) in turns.iter().enumerate() {
        turn(number, told, several, &mut out);
    }
    let _ = writeln!(out, "</main>\n<script>{SCRIPT}</script>\n</body>\n</html>");
    out
}

fn contents(title: &str, turns: &[Told]) -> String {
    let titles: Vec<&str> = turns.iter().map(|told| told.page.title.as_str()).collect();
    let said = in_common(&titles);
    let entry = |(number, told): (usize, &Told)| {
        let title = told.page.title.get(said..).unwrap_or_default();
        format!("<li><a href=\"#turn{number}\">{}</a></li>", escape(title))
    };
    let list: String = turns.iter().enumerate().map(entry).collect();
    format!("<header><h1>{title}</h1><nav><ol start=\"1\">{list}</ol></nav></header>\n")
}

/// How much of some titles is the same in all, up to a comma: a list of them need not say it again.
fn in_common(titles: &[&str]) -> usize {
    let Some((first, others)) = titles.split_first() else { return 0 };
    let commas = first.match_indices(", ").map(|(at, comma)| at + comma.len());
    let shared = |at: &usize| others.iter().all(|other| first.get(..*at) == other.get(..*at));
    commas.filter(shared).max().unwrap_or(0)
}

/// The ground, drawn once for all maps of the page.
fn shared(turns: &[Told], out: &mut String) {
    let Some(first) = turns.first() else { return };
    let _ = write!(out, "<svg class=\"shared\" width=\"0\" height=\"0\" aria-hidden=\"true\">{}<defs>", svg::DEFS);
    for part in Part::of(&first.after, &Window::default()) {
        let _ = write!(out, "<g id=\"ground{}\">{}</g>", part.index, svg::ground(&part));
        let _ = write!(out, "<g id=\"names{}\">{}</g>", part.index, svg::names(&part));
    }
    out.push_str("</defs></svg>\n");
}

fn turn(number: usize, told: &Told, several: bool, out: &mut String) {
    let page = &told.page;
    let heading = if several { "h2" } else { "h1" };
    let _ = writeln!(out, "<article class=\"turn\" id=\"turn{number}\"><{heading}>{}</{heading}>", escape(&page.title));
    for line in &page.lead {
        let _ = writeln!(out, "<p class=\"lead\">{}</p>", escape(line));
    }
    for message in &page.messages {
        let _ = writeln!(out, "<p class=\"lead\">{}</p>{}", escape(&message.head()), quoted(message));
    }
    out.push_str("<div class=\"both\">\n");
    if !told.after.boards.is_empty() {
        maps(told, out);
    }
    out.push_str("<div class=\"diary\">\n");
    let cells = cells_by_event(&told.happened);
    let known: BTreeSet<&str> =
        told.after.boards.iter().flat_map(|board| &board.cells).map(|cell| cell.id.as_str()).collect();
    for section in &page.sections {
        self::section(section, &cells, &known, out);
    }
    out.push_str("</div>\n</div>\n</article>\n");
}

/// The cells each event touches.
fn cells_by_event(happened: &[Incident]) -> BTreeMap<usize, BTreeSet<&str>> {
    let mut cells: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    for incident in happened {
        cells.entry(incident.event).or_default().extend(incident.cells());
    }
    cells
}

fn maps(told: &Told, out: &mut String) {
    out.push_str(
        "<section class=\"map\" aria-label=\"Map\"><div class=\"steps\">\
         <button data-step=\"first\" title=\"before (Home)\">|&lt;</button>\
         <button data-step=\"back\" title=\"a step back (left arrow)\">&lt;</button>\
         <output>after</output>\
         <button data-step=\"on\" title=\"a step on (right arrow)\">&gt;</button>\
         <button data-step=\"last\" title=\"after (End)\">&gt;|</button>\
         <button class=\"apart\" data-view=\"nearer\" title=\"nearer; drag to look elsewhere\">+</button>\
         <button data-view=\"farther\" title=\"farther\">&minus;</button>\
         <button data-view=\"whole\" title=\"the whole map\">whole</button></div>\n",
    );
    let before = Part::of(&told.before, &Window::default());
    for part in Part::of(&told.after, &Window::default()) {
        let ((x, y), (w, h)) = svg::extent(&part);
        if !part.board.name.is_empty() {
            let _ = write!(out, "<h3>{}</h3>", escape(&part.board.name));
        }
        let index = part.index;
        let _ = write!(
            out,
            "<svg class=\"board\" data-board=\"{index}\" viewBox=\"{} {} {} {}\" role=\"img\"><title>{}</title>\
             <use href=\"#ground{index}\"/>{}",
            x - 4,
            y - 4,
            w + 8,
            h + 8,
            escape_svg(&told.after.moment),
            svg::cells(&part)
        );
        if let Some(part) = before.iter().find(|part| part.index == index) {
            let _ = write!(out, "<g class=\"before\">{}</g>", svg::counters(part));
        }
        let _ = write!(out, "<g class=\"after\">{}</g>{}", svg::counters(&part), svg::flags(&part));
        let _ =
            writeln!(out, "<use class=\"over\" href=\"#names{index}\"/>{}</svg>", svg::story(&part, &told.happened));
    }
    out.push_str("<p class=\"story-of\" hidden></p>\n");
    for held in &told.after.boxes {
        // An id is one word, whatever hyphens stand in it.
        let listed = held.counters.iter().map(|counter| format!("<span>{}</span>", escape(&counter.listed())));
        let counters: Vec<String> = listed.collect();
        let _ = writeln!(
            out,
            "<details class=\"held\"><summary>{} ({})</summary><p>{}</p></details>",
            escape(&held.name),
            counters.len(),
            counters.join(", ")
        );
    }
    let moves: Vec<_> = told.happened.iter().filter_map(step).collect();
    // A `<` in a name would end the script; JSON may write it otherwise.
    let moves = json!(moves).to_string().replace('<', "\\u003c");
    let _ = writeln!(out, "<script type=\"application/json\" class=\"moves\">{moves}</script></section>");
}

/// What an incident does to counters on the map: event, map, units, the cell they end in (none: they leave the map).
pub fn step(incident: &Incident) -> Option<serde_json::Value> {
    let ends = match incident.what {
        Deed::Placed | Deed::Landed | Deed::Entered | Deed::Moved | Deed::Retreated | Deed::Advanced => {
            Some(incident.at.as_deref()?)
        }
        Deed::Eliminated => None,
        _ => return None,
    };
    (!incident.units.is_empty()).then(|| json!([incident.event, incident.board, incident.units, ends]))
}

fn section(section: &Section, cells: &BTreeMap<usize, BTreeSet<&str>>, known: &BTreeSet<&str>, out: &mut String) {
    if !section.heading.is_empty() {
        let _ = writeln!(out, "<h2>{}</h2>", escape(&section.heading));
    }
    for (at, entry) in section.diary.entries().iter().enumerate() {
        let event = section.events.get(at).copied();
        let mut near: BTreeSet<&str> = event.and_then(|event| cells.get(&event)).cloned().unwrap_or_default();
        near.extend(named_in(entry, known));
        let tie = match (event, near.is_empty()) {
            (None, true) => String::new(),
            (event, _) => {
                let event = event.map_or_else(String::new, |event| format!(" data-event=\"{event}\""));
                let near: Vec<&str> = near.into_iter().collect();
                format!("{event} data-cells=\"{}\" tabindex=\"0\"", near.join(" "))
            }
        };
        out.push_str(&self::entry(entry, &tie));
    }
}

/// The cells a text names by their numbers.
fn named_in<'k>(entry: &DiaryEntry, known: &BTreeSet<&'k str>) -> Vec<&'k str> {
    let text = match entry {
        DiaryEntry::Line { text, .. } | DiaryEntry::Sum { text, .. } | DiaryEntry::Heading { text, .. } => text,
        DiaryEntry::Table { .. } => return Vec::new(),
    };
    let words = text.split(|c: char| !c.is_ascii_digit()).filter(|word| word.len() == 4);
    words.filter_map(|word| known.get(word).copied()).collect()
}

fn entry(entry: &DiaryEntry, tie: &str) -> String {
    match entry {
        DiaryEntry::Heading { level, text } => {
            let tag = if *level <= 1 { "h3" } else { "h4" };
            format!("<{tag}{tie}>{}</{tag}>\n", escape(text))
        }
        DiaryEntry::Line { depth, text, clauses } => {
            let list = clause_list(clauses);
            let clauses =
                if list.is_empty() { list } else { format!(" <span class=\"clause\">{}</span>", escape(&list)) };
            format!("<p class=\"line d{depth}\"{tie}>{}{clauses}</p>\n", escape(text))
        }
        DiaryEntry::Sum { depth, text, from, tally, gives } => {
            let mut rows = String::new();
            if !from.is_empty() {
                let _ = write!(rows, "<tr><td>{}</td><td></td><td></td></tr>", escape(from));
            }
            for term in tally.terms() {
                let clause = escape(&term.clause.to_string());
                let _ = write!(
                    rows,
                    "<tr><td>{}</td><td class=\"n\">{:+}</td><td class=\"clause\">{clause}</td></tr>",
                    escape(&term.what.to_string()),
                    term.value
                );
            }
            let whole = escape(&terms(from, tally).join(" "));
            let result = escape(&result(gives, tally));
            format!(
                "<details class=\"sum d{depth}\"{tie}><summary title=\"{whole}\">{}: <b>{result}</b></summary>\
                 <table>{rows}<tr class=\"total\"><td>gives</td><td colspan=\"2\">{result}</td></tr></table></details>\n",
                escape(text)
            )
        }
        DiaryEntry::Table { head, rows } => table(head, rows),
    }
}

fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let flush: Vec<bool> = (0..head.len()).map(|column| numeric(rows, column)).collect();
    let line = |cells: &[String], tag: &str| {
        let cells = cells.iter().enumerate().map(|(column, cell)| {
            // A unit's name is one word, whatever hyphens stand in it.
            let class = match flush.get(column) {
                Some(true) => " class=\"n\"",
                _ if cell.contains('-') && !cell.contains(' ') => " class=\"id\"",
                _ => "",
            };
            format!("<{tag}{class}>{}</{tag}>", escape(cell))
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let body: String = rows.iter().map(|row| line(row, "td")).collect();
    format!("<div class=\"wide\"><table>\n{}{body}</table></div>\n", line(head, "th"))
}

/// What a player wrote.
fn quoted(message: &Message) -> String {
    format!("<blockquote>{}</blockquote>", escape(&message.text))
}

/// Text that stays text.
pub fn escape(text: &str) -> String {
    escape_svg(&visible(text))
}

/// A report as a part of another page: no head, no map, no script.
pub fn fragment(page: &Page) -> String {
    let mut out = String::new();
    for line in &page.lead {
        let _ = writeln!(out, "<p class=\"lead\">{}</p>", escape(line));
    }
    for section in &page.sections {
        self::section(section, &BTreeMap::new(), &BTreeSet::new(), &mut out);
    }
    out
}

/// A page for mail programs: no script, nothing to load but a picture that travels with it.
pub fn letter_html(page: &Page, picture: Option<&str>) -> String {
    let mut out = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\
         <style>{LETTER}</style></head><body style=\"font-family:Georgia,serif;max-width:48em\"><h1>{0}</h1>",
        escape(&page.title)
    );
    for line in &page.lead {
        let _ = write!(out, "<p><i>{}</i></p>", escape(line));
    }
    for message in &page.messages {
        let _ = write!(out, "<p>{}</p>{}", escape(&message.head()), quoted(message));
    }
    if let Some(picture) = picture {
        let _ = write!(out, "<p><img src=\"{picture}\" alt=\"The map\" style=\"max-width:100%\"></p>");
    }
    for section in &page.sections {
        self::section(section, &BTreeMap::new(), &BTreeSet::new(), &mut out);
    }
    out.push_str("</body></html>\n");
    out
}
