//! What players read and look at in every game, as the program writes it: mails, maps, reports, completions.

use std::path::{Path, PathBuf};

use crate::room::Room;
use mail_parser::{MessageParser, MimeHeaders as _};
use serde_json::Value;

const GAMES: [&str; 5] = ["santiago-1898", "santiago-campaign", "splendid-little-war", "end-of-empire", "lone-warrior"];

/// The first mails of a match by chance, with its two folders.
struct Match {
    room: Room,
}

impl Match {
    fn new(game: &str) -> Match {
        let room = Room::new();
        let (folder, home) = (room.path("match").display().to_string(), room.path("secrets").display().to_string());
        let scenario = if game == "splendid-little-war" { &["--scenario", "campaign"][..] } else { &[] };
        let play = ["rehearse", game, &folder, "--seed", "3", "--mails", "9", "--home", &home];
        room.run("me", &[&play, scenario].concat());
        Match { room }
    }

    fn folder(&self) -> PathBuf {
        self.room.path("match/us")
    }

    /// What a verb says in the folder of the US player, and whether it is content.
    fn says(&self, args: &[&str], columns: &str) -> (bool, String) {
        let mut command = self.room.command("me");
        command.arg("-C").arg(self.folder()).arg("--home").arg(self.room.path("secrets/us"));
        let output = command.args(args).env("COLUMNS", columns).output().expect("garcia runs");
        let text = if output.status.success() { output.stdout } else { output.stderr };
        (output.status.success(), String::from_utf8_lossy(&text).into_owned())
    }

    /// A map that is drawn into a file, or why not.
    fn draws(&self, args: &[&str], name: &str) -> Result<Vec<u8>, String> {
        let file = self.room.path(name);
        let path = file.display().to_string();
        let (drawn, words) = self.says(&[&["map"], args, &["-o", &path]].concat(), "80");
        if drawn { Ok(std::fs::read(file).expect("a drawing")) } else { Err(words) }
    }

    fn svg(&self, args: &[&str]) -> Result<String, String> {
        self.draws(args, "map.svg").map(|bytes| String::from_utf8(bytes).expect("text"))
    }
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.display().to_string().ends_with(ending)).collect();
    files.sort();
    files
}

/// Mails are plain text of 72 columns, with a page and the map in it.
fn mails(game: &str, played: &Match) {
    let mut pages = 0;
    for file in files(&played.room.path("match/mails"), ".eml") {
        let bytes = std::fs::read(&file).expect("a mail");
        let mail = MessageParser::default().parse(&bytes).expect("a mail");
        let name = format!("{game}, {}", file.display());
        let text = mail.body_text(0).expect("a text");
        for line in text.lines() {
            assert!(line.chars().count() <= 72, "{name}: {line}");
            assert!(!line.starts_with(['|', '#']), "{name}: {line}");
        }
        assert!(text.contains("garcia receive FILE") || text.contains("garcia join FILE"), "{name}: {text}");
        let attached = |kind: &str| mail.attachments().filter(|part| part.is_content_type("text", kind)).count();
        assert!(attached("plain") > 0, "{name}: the records");
        let Some(page) = mail.body_html(0).filter(|page| page.contains("<h1>")) else { continue };
        pages += 1;
        assert!(page.contains("src=\"cid:map\"") && !page.contains("<script"), "{name}: {page}");
        let picture = mail.parts.iter().find(|part| part.content_id() == Some("map")).expect("the map");
        assert!(picture.is_content_type("image", "png") && picture.contents().starts_with(b"\x89PNG"), "{name}");
        // A headline names what the report tells: the page and the text are headed alike.
        let (_, rest) = page.split_once("<h1>").expect("a headline");
        let headline = rest.split("</h1>").next().unwrap_or_default();
        let words: Vec<&str> = headline.split(' ').collect();
        let flat: Vec<&str> = text.split_whitespace().collect();
        assert!(flat.windows(words.len()).any(|some| some == words), "{name}: {headline}");
    }
    assert!(pages >= 3, "{game}: {pages} mails tell of something");
}

/// Maps heed the width there is and whatever is asked.
fn maps(game: &str, played: &Match) {
    let mut widest = Vec::new();
    for columns in ["60", "80", "160"] {
        let (_, text) = played.says(&["map"], columns);
        let wide = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(wide <= columns.parse().expect("a number"), "{game} at {columns}: {wide}");
        widest.push(wide);
    }
    assert!(widest[2] > 80 || game == "lone-warrior", "{game}: what room there is is used: {widest:?}");
    let (_, json) = played.says(&["map", "--json"], "80");
    let scene: Value = serde_json::from_str(&json).expect("a scene");
    let (board, other) = (&scene["boards"][0], &scene["boards"][0]["cells"][9]);
    let counters = board["counters"].as_array().expect("counters");
    let able: Vec<&str> = counters.iter().filter_map(|counter| counter["id"].as_str()).collect();
    let (cell, other) = (counters[0]["cell"].as_str().expect("a cell"), other["id"].as_str().expect("a cell"));
    let whole = played.svg(&[]).expect("a map");
    assert!(!whole.contains("class=\"reach\"") && !whole.contains("class=\"supply\""), "{game}: only if asked");
    let part = played.svg(&[cell, "--radius", "1"]).expect("a part");
    let cells = |svg: &str| svg.matches("data-cell=").count();
    assert!((2..=15).contains(&cells(&part)) && cells(&whole) > 60, "{game}: {}", cells(&part));
    // Somebody can go somewhere, and the key says what the colour means.
    let reach =
        able.iter().find_map(|unit| played.svg(&["--reach", unit]).ok().filter(|svg| svg.contains("class=\"cost\"")));
    assert!(reach.is_some_and(|svg| svg.contains("class=\"reach\"") && svg.contains(">in reach, and cost<")), "{game}");
    match played.svg(&["--supply"]) {
        Ok(svg) => assert!(svg.contains(">line of supply<") || svg.contains(">no line of supply<"), "{game}"),
        Err(words) => assert!(game == "lone-warrior" && words.contains("know no supply"), "{game}: {words}"),
    }
    match played.svg(&["--los", cell, other]) {
        Ok(svg) => assert!(svg.contains("class=\"sight\"") && svg.contains(">line of sight<"), "{game}"),
        Err(words) => assert!(words.contains("no line of sight") && words.contains("§"), "{game}: {words}"),
    }
    let first = played.svg(&["--turn", "1"]).expect("the first turn");
    assert!(first != whole || scene["turn"].as_u64() <= Some(2), "{game}: as it was then");
    let late = played.svg(&["--turn", "99"]).expect_err("no such turn");
    assert!(late.contains("nothing has happened in turn 99") && late.contains("come to turn"), "{game}: {late}");
    #[cfg(feature = "png")]
    assert!(
        played.draws(&[cell, "--supply"], "map.png").is_ok_and(|png| png.starts_with(b"\x89PNG"))
            || game == "lone-warrior"
    );
    let odd = played.draws(&[], "map.gif").expect_err("no such picture");
    assert!(odd.contains(".svg or .png"), "{game}: {odd}");
}

/// Reports are named by turn and side, and headed by what they tell.
fn reports(game: &str, played: &Match) {
    let reports = files(&played.folder().join("reports"), ".md");
    assert!(reports.len() >= 3, "{game}: {reports:?}");
    for report in &reports {
        let name = report.file_stem().and_then(|name| name.to_str()).expect("a name");
        let mut parts = name.splitn(3, '-');
        let (_, turn, side) = (parts.next(), parts.next().expect("a turn"), parts.next().expect("a side"));
        let text = std::fs::read_to_string(report).expect("a report");
        let headline = text.lines().next().unwrap_or_default();
        let side = if side == "us" { "US" } else { "Spain" };
        assert!(headline.contains(&format!(": {side}, ")), "{game}, {name}: {headline}");
        let turn = format!("turn {}", turn.trim_start_matches('t'));
        let named = headline
            .split([',', ':'])
            .any(|part| part.trim() == turn || part.trim().starts_with(&format!("{turn} of")));
        assert!(named, "{game}, {name}: {headline}");
    }
    let page = played.room.path("page.html").display().to_string();
    for (args, least) in [(&["report"][..], 1), (&["report", "--turn", "1"], 2), (&["report", "--all"], 3)] {
        let (good, words) = played.says(&[args, &["-o", &page]].concat(), "80");
        assert!(good, "{game}: {words}");
        let text = std::fs::read_to_string(&page).expect("a page");
        assert!(text.matches("<article class=\"turn\"").count() >= least, "{game}: {args:?}");
        let heard = text.contains(": US, ") || text.contains(": Spain, ");
        assert!(heard && text.contains("<details class=\"held\">"), "{game}: {args:?}");
    }
}

#[test]
fn every_game_is_shown_well_in_mails_maps_and_reports() {
    for game in GAMES {
        let played = Match::new(game);
        mails(game, &played);
        maps(game, &played);
        reports(game, &played);
    }
}

/// What a player writes comes by mail and is text: on the desk, in reports and in the mails that answer.
#[test]
fn a_note_that_came_by_mail_is_text_and_never_markup() {
    let room = Room::new();
    let (us, spain) = room.by_mail("santiago-1898");
    let hostile = "<script>alert(1)</script><img src=x onerror=alert(2)>";
    for (player, folder, other, theirs) in [("spain", &spain, "us", &us), ("us", &us, "spain", &spain)] {
        let at = folder.display().to_string();
        room.run(player, &["-C", &at, "template", "--write"]);
        let file = files(&folder.join("orders"), ".yaml").pop().expect("an order file");
        let text = std::fs::read_to_string(&file).expect("orders");
        std::fs::write(&file, format!("{text}\nnote: '{hostile}'\n")).expect("written");
        room.run(player, &["-C", &at, "send", &file.display().to_string(), "--yes", "--eml"]);
        let mail = files(&folder.join("outbox"), ".eml").pop().expect("a mail");
        room.run(other, &["-C", &theirs.display().to_string(), "receive", &mail.display().to_string()]);
    }
    let told = |name: &str, page: &str| {
        assert!(!page.contains("<script>alert") && !page.contains("<img src=x"), "{name}: {page}");
        assert!(page.contains("&lt;script&gt;alert(1)"), "{name} tells of it");
    };
    // The mail of the second player carries the result of the first one's orders, and with it his note.
    let mail = std::fs::read(files(&us.join("outbox"), ".eml").pop().expect("a mail")).expect("a mail");
    let mail = MessageParser::default().parse(&mail).expect("a mail");
    told("the mail", &mail.body_html(0).expect("a page"));
    for (player, folder) in [("us", &us), ("spain", &spain)] {
        let page = room.path("page.html").display().to_string();
        room.run(player, &["-C", &folder.display().to_string(), "report", "-o", &page]);
        told("the report", &std::fs::read_to_string(&page).expect("a page"));
        let desk = room.desk(player, folder, &[]);
        let position = desk.position();
        let newest = &position["reports"][0]["record"];
        told("the desk's report", &desk.get(&format!("game/0/report/{newest}")).text());
        for part in ["map", "status"] {
            assert!(!position[part].as_str().unwrap_or_default().contains("<script>alert"), "{part}");
        }
    }
}

#[test]
fn completions_and_man_pages_know_every_verb() {
    let room = Room::new();
    let help = room.run("me", &["--help"]);
    let commands = help.split("Commands:").nth(1).expect("a list").lines().skip(1).take_while(|line| !line.is_empty());
    let commands = commands.filter(|line| !line.starts_with("   "));
    let verbs: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(verbs.len() > 35, "{verbs:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = room.run("me", &["completions", shell]);
        for verb in &verbs {
            assert!(script.contains(verb), "{shell}: {verb}");
        }
    }
    let folder = room.path("man");
    room.run("me", &["man", &folder.display().to_string()]);
    for verb in verbs.iter().filter(|verb| **verb != "help") {
        let page = std::fs::read_to_string(folder.join(format!("garcia-{verb}.1"))).expect("a page for each verb");
        assert!(page.contains(".TH") && page.contains("garcia"), "{verb}");
    }
    assert!(folder.join("garcia.1").exists());
}

#[test]
fn answers_are_described_by_the_schema_of_their_packet() {
    let room = Room::new();
    let folder = room.solo("santiago-campaign");
    let name = folder.display().to_string();
    for packet in 0..6 {
        let written = room.path(&format!("{packet}.yaml"));
        room.run("me", &["-C", &name, "template", "--output", &written.display().to_string()]);
        let text = std::fs::read_to_string(written).expect("orders");
        if text.contains("\nanswers:") {
            room.run("me", &["-C", &name, "template", "--write"]);
            let answers = files(&folder.join("orders"), ".yaml");
            let answers = answers.iter().find(|file| file.display().to_string().contains("answers")).expect("a file");
            let text = std::fs::read_to_string(answers).expect("answers");
            let schema = text.split("$schema=../").nth(1).and_then(|rest| rest.lines().next()).expect("a schema");
            // Made for this moment: an editor completes what can be answered now.
            assert!(schema.contains("answers"), "{schema}");
            assert!(folder.join(schema).is_file(), "{schema} is there");
            return;
        }
        let file = room.path("asking.yaml");
        std::fs::write(&file, text.replace(": default\n", ": ask\n")).expect("written");
        room.run("me", &["-C", &name, "resolve", &file.display().to_string()]);
    }
    panic!("nothing was asked");
}

#[test]
fn an_order_file_leaves_out_questions_that_the_options_rule_out() {
    // The kind is a key under `policies` or `standing`.
    let kinds = |shown: &str, whose: &str| {
        let room = Room::new();
        let (folder, home) = (room.path("match").display().to_string(), room.path("secrets").display().to_string());
        let options = ["jungle", "friendly-fire", "supply-points"].map(|option| format!("{option}={shown}"));
        let mut play = vec!["rehearse", "end-of-empire", &folder, "--seed", "3", "--mails", "9", "--home", &home];
        play.extend(options.iter().flat_map(|option| ["--option", option]));
        room.run("me", &play);
        let (folder, home) = (format!("{folder}/{whose}"), format!("{home}/{whose}"));
        let file = room.run("me", &["-C", &folder, "--home", &home, "template"]);
        let key = |line: &str| line.trim_start_matches(['#', ' ']).split_once(": ").map(|(key, _)| key.to_owned());
        file.lines().filter_map(key).collect::<Vec<_>>()
    };
    for (side, some) in [("us", ["friendly-fire", "support"]), ("spain", ["finish-move", "support"])] {
        let (with, without) = (kinds("on", side), kinds("off", side));
        for kind in some {
            assert!(with.iter().any(|key| key == kind), "{side}: {kind} is there with its option");
            assert!(without.iter().all(|key| key != kind), "{side}: {kind} cannot come up");
        }
    }
}
