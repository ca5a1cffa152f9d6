//! The desk by its requests: who gets in, what is saved, and what every bad neighbour is told.

use std::time::{Duration, Instant};

use crate::room::{Room, everything, order_file};
use serde_json::{Value, json};

const GAMES: [&str; 5] = ["santiago-1898", "santiago-campaign", "splendid-little-war", "end-of-empire", "lone-warrior"];

/// On a slow machine fewer units are clicked.
const ENOUGH: Duration = Duration::from_secs(15);

pub fn text(position: &Value) -> String {
    position["saved"].as_str().or(position["template"].as_str()).expect("a text").to_owned()
}

#[test]
fn strangers_get_nothing_and_change_nothing() {
    let room = Room::new();
    let folder = room.solo("santiago-1898");
    let desk = room.desk("me", &folder, &[]);
    let before = everything(&folder);
    let position = desk.path("game/0/position");
    let own = format!("Host: 127.0.0.1:{}", desk.port);
    let cases: Vec<(&str, String, Vec<&str>, u16)> = vec![
        ("GET", "/".into(), vec![], 403),
        ("GET", "/game/0/position".into(), vec![], 403),
        ("GET", "/0123456789abcdef0123456789abcdef/".into(), vec![], 403),
        ("GET", format!("/{}x/", desk.secret), vec![], 403),
        ("GET", position.clone(), vec!["Host: evil.example"], 403),
        ("GET", position.clone(), vec!["Host: 127.0.0.1"], 403),
        ("GET", position.clone(), vec![&own, "Origin: https://evil.example"], 403),
        ("GET", position.clone(), vec![&own, "Origin: null"], 403),
        ("GET", position.clone(), vec![&own, "Sec-Fetch-Site: cross-site"], 403),
        ("POST", desk.path("game/0/act"), vec![&own, "Origin: http://127.0.0.1:1"], 403),
        ("PUT", position.clone(), vec![], 405),
        ("DELETE", position.clone(), vec![], 405),
        ("GET", desk.path("../../../etc/passwd"), vec![], 400),
        ("GET", desk.path("game/0/report/../../../state.yaml"), vec![], 400),
        ("GET", desk.path("%2e%2e/state.yaml"), vec![], 400),
        ("GET", desk.path("game/0/report/99"), vec![], 404),
        ("GET", desk.path("game/0/report/x"), vec![], 404),
        ("GET", desk.path("game/7/position"), vec![], 404),
        ("GET", desk.path("state.yaml"), vec![], 404),
        ("GET", desk.path("game/0/sign"), vec![], 404),
        ("GET", desk.path("game/0/save"), vec![], 404),
        ("POST", desk.path("game/0/position"), vec![], 404),
        ("POST", desk.path("game/0/sign"), vec![], 400),
        ("POST", desk.path("game/0/act"), vec![], 400),
    ];
    for (method, path, lines, status) in cases {
        let reply = desk.request(method, &path, &lines, b"");
        assert_eq!(reply.status, status, "{method} {path} {lines:?}: {}", reply.text());
        assert!(reply.body.len() > 20, "{method} {path}: in words");
        assert!(!reply.text().contains("1308"), "{method} {path}: nothing of the position");
    }
    assert_eq!(everything(&folder), before, "nothing was touched");
    // The player himself, by either name of his machine.
    let local = format!("Host: localhost:{}", desk.port);
    let origin = format!("Origin: http://localhost:{}", desk.port);
    assert_eq!(desk.request("GET", &position, &[&local, &origin, "Sec-Fetch-Site: same-origin"], b"").status, 200);
}

#[test]
fn pages_may_do_nothing_but_what_came_from_here() {
    let room = Room::new();
    let desk = room.desk("me", &room.solo("santiago-1898"), &[]);
    for page in ["", "desk.js", "desk.css", "game/0/position"] {
        let head = desk.get(page).head.to_lowercase();
        for line in ["default-src 'none'", "frame-ancestors 'none'", "nosniff", "no-referrer", "no-store"] {
            assert!(head.contains(line), "{page}: {line}");
        }
        assert!(!head.contains("access-control-allow-origin"), "{page}");
        let policy = head.lines().find(|line| line.starts_with("content-security-policy")).expect("a policy");
        assert!(!policy.contains("unsafe"), "{page}: {policy}");
    }
    let page = desk.get("").text();
    assert!(!page.contains("http://") && !page.contains("https://"), "nothing from elsewhere");
}

#[test]
fn a_hundred_megabytes_are_refused_and_the_desk_stays_open() {
    let room = Room::new();
    let folder = room.solo("santiago-1898");
    let desk = room.desk("me", &folder, &[]);
    let reply = desk.request("POST", &desk.path("game/0/check"), &[], &vec![b'x'; 100 << 20]);
    assert_eq!(reply.status, 413, "{}", reply.text());
    // Nor in pieces whose number nobody has told.
    let mut chunked = format!(
        "POST {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
        desk.path("game/0/check"),
        desk.port
    )
    .into_bytes();
    let piece = [b"10000\r\n".as_slice(), &[b'x'; 0x10000], b"\r\n"].concat();
    (0..200).for_each(|_| chunked.extend_from_slice(&piece));
    chunked.extend_from_slice(b"0\r\n\r\n");
    assert_eq!(desk.raw(&chunked).status, 413);
    assert_eq!(desk.get("game/0/pulse").status, 200);
    for nonsense in [&b"\x00\xff"[..], b"{", b"[]", b"{\"text\": 7}"] {
        let reply = desk.request("POST", &desk.path("game/0/check"), &[], nonsense);
        assert_eq!(reply.status, 400, "{}", reply.text());
    }
    assert_eq!(desk.get("game/0/pulse").status, 200);
}

#[test]
fn what_is_saved_is_the_file_that_check_reads() {
    let room = Room::new();
    let folder = room.solo("santiago-1898");
    let desk = room.desk("me", &folder, &[]);
    let position = desk.position();
    let file = order_file(&folder, &position);
    assert!(position["saved"].is_null() && !file.exists());
    let saved = desk.save(&position, &text(&position));
    assert_eq!(saved.status, 200, "{}", saved.text());
    let path = file.display().to_string();
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), text(&position));
    std::fs::remove_file(&file).expect("a file");
    room.run("me", &["-C", &folder.display().to_string(), "template", "--write"]);
    assert_eq!(
        std::fs::read_to_string(&file).expect("a file"),
        text(&position),
        "byte for byte what `template` writes"
    );
    room.run("me", &["-C", &folder.display().to_string(), "check", &path]);
    // What was typed stands as it was typed, legal or not.
    let odd = "orders: [\n  \u{1f40e} <b>not yet</b>\n";
    assert_eq!(desk.save(&desk.position(), odd).status, 200);
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), odd);
    assert_eq!(desk.position()["saved"], odd);
    let told = desk.ask("check", &json!({ "text": odd }));
    assert_eq!(told["ok"], false);
    assert!(told["faults"][0]["line"].as_u64().is_some_and(|line| line > 0), "{told}");
}

#[test]
fn a_second_tab_never_writes_over_the_first() {
    let room = Room::new();
    let folder = room.solo("santiago-1898");
    let desk = room.desk("me", &folder, &[]);
    let (first, second) = (desk.position(), desk.position());
    let one = format!("{}# one\n", text(&first));
    assert_eq!(desk.save(&first, &one).status, 200);
    let refused = desk.save(&second, &format!("{}# two\n", text(&second)));
    assert_eq!(refused.status, 409, "{}", refused.text());
    assert_eq!(refused.json()["theirs"], one, "both texts are there to choose from");
    assert_eq!(std::fs::read_to_string(order_file(&folder, &first)).expect("a file"), one);
    // Having seen it, the second may choose his own.
    let seen = json!({ "stamp": second["stamp"], "on-disk": refused.json()["on-disk"] });
    assert_eq!(desk.save(&seen, "# two\n").status, 200);
    // The same text twice is no quarrel.
    assert_eq!(desk.save(&second, "# two\n").status, 200);
}

#[test]
fn two_desks_at_one_folder_and_the_command_line_respect_each_other() {
    let room = Room::new();
    let folder = room.solo("santiago-1898");
    let (one, other) = (room.desk("me", &folder, &[]), room.desk("me", &folder, &[]));
    assert_ne!((one.port, &one.secret), (other.port, &other.secret));
    assert_eq!(other.request("GET", &one.path("game/0/pulse"), &[], b"").status, 403, "each has a secret of its own");
    let (here, there) = (one.position(), other.position());
    assert_eq!(one.save(&here, "# from one\n").status, 200);
    assert_eq!(other.save(&there, "# from the other\n").status, 409);
    assert_ne!(other.get("game/0/pulse").json()["on-disk"], there["on-disk"], "and the other notices");
    // The command line carries orders out meanwhile.
    let file = order_file(&folder, &here);
    std::fs::remove_file(&file).expect("a file");
    let here = one.position();
    let folder_name = folder.display().to_string();
    room.run("me", &["-C", &folder_name, "template", "--write"]);
    room.run("me", &["-C", &folder_name, "resolve", &file.display().to_string()]);
    assert_ne!(one.get("game/0/pulse").json()["stamp"], here["stamp"], "the page is told");
    let records = everything(&folder.join("ledger"));
    for late in [one.save(&here, "# late\n"), one.sign(&here, &text(&here))] {
        assert_eq!(late.status, 409, "{}", late.text());
        assert!(late.json()["error"].as_str().is_some_and(|error| error.contains("changed")), "{}", late.text());
    }
    assert_eq!(everything(&folder.join("ledger")), records, "nothing was signed");
    // Somebody is at work in the folder.
    let lock = std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(folder.join(".lock"));
    let lock = lock.expect("a lock");
    lock.lock().expect("it is free");
    let now = one.position();
    for busy in [one.save(&now, "# busy\n"), one.sign(&now, &text(&now))] {
        assert_eq!(busy.status, 409, "{}", busy.text());
        assert!(busy.text().contains("another garcia"), "{}", busy.text());
    }
    assert!(!order_file(&folder, &now).exists());
}

#[test]
fn nobody_sees_orders_without_their_result() {
    let room = Room::new();
    let folder = room.solo("santiago-1898");
    let desk = room.desk("me", &folder, &[]);
    let done = std::sync::atomic::AtomicBool::new(false);
    let looked = std::thread::scope(|scope| {
        let looker = scope.spawn(|| {
            let mut looked = 0;
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let position = desk.position();
                // A page that took this for the end would stop there.
                assert_eq!(position["mine"], true, "{} {}", position["next"], position["acts"]);
                looked += 1;
            }
            looked
        });
        for _ in 0..6 {
            let position = desk.position();
            let signed = desk.sign(&position, &text(&position));
            if signed.status != 200 || looker.is_finished() {
                break;
            }
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        looker.join().expect("whoever looked saw a position in which something is due")
    });
    assert!(looked > 6, "{looked}");
    assert_eq!(desk.position()["reports"].as_array().map(Vec::len), Some(6));
}

#[test]
fn killed_while_saving_the_file_is_whole() {
    let room = Room::new();
    let folder = room.solo("santiago-1898");
    let mut desk = room.desk("me", &folder, &[]);
    let position = desk.position();
    let texts: Vec<String> = ["a", "b"].iter().map(|word| format!("# {}\n", word.repeat(1 << 20))).collect();
    let file = order_file(&folder, &position);
    assert_eq!(desk.save(&position, &texts[0]).status, 200);
    std::thread::scope(|scope| {
        let (port, path) = (desk.port, desk.path("game/0/save"));
        let (texts, stamp) = (&texts, position["stamp"].clone());
        scope.spawn(move || {
            use std::io::{Read as _, Write as _};
            for number in 0_usize.. {
                let hash = |text: &str| garcia::engine::digest::sha256(text.as_bytes());
                let (old, new) = (&texts[number % 2], &texts[(number + 1) % 2]);
                let body = json!({ "text": new, "stamp": stamp, "on-disk": hash(old) }).to_string();
                let Ok(mut stream) = std::net::TcpStream::connect(("127.0.0.1", port)) else { return };
                let head = format!(
                    "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                    body.len()
                );
                let sent = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
                let mut reply = Vec::new();
                if sent.and_then(|()| stream.read_to_end(&mut reply)).is_err() || reply.is_empty() {
                    return;
                }
            }
        });
        std::thread::sleep(Duration::from_millis(700));
        desk.child.kill().expect("it runs");
        desk.child.wait().expect("it ends");
    });
    let found = std::fs::read_to_string(&file).expect("a file");
    assert!(texts.contains(&found), "the old text or the new one, {} bytes", found.len());
    // A new desk shows it, and goes on.
    let again = room.desk("me", &folder, &[]);
    assert_eq!(again.position()["saved"], found);
    assert_eq!(again.save(&again.position(), "# on\n").status, 200);
}

#[test]
fn a_port_that_is_taken_and_a_folder_without_games_are_told_in_words() {
    let room = Room::new();
    let folder = room.solo("santiago-1898");
    let desk = room.desk("me", &folder, &[]);
    let port = desk.port.to_string();
    let taken = room.refused_desk("me", &folder, &["--port", &port]);
    let words = String::from_utf8_lossy(&taken.stderr);
    assert_eq!(taken.status.code(), Some(75), "{words}");
    assert!(words.contains(&format!("port {port} cannot be used")) && words.contains("leave `--port` out"), "{words}");
    std::fs::create_dir(room.path("empty")).expect("a folder");
    let none = room.refused_desk("me", &room.path("empty"), &[]);
    let words = String::from_utf8_lossy(&none.stderr);
    assert_eq!(none.status.code(), Some(64), "{words}");
    assert!(words.contains("no game") && words.contains("garcia new"), "{words}");
}

#[test]
#[cfg(unix)]
fn without_a_browser_the_address_is_enough() {
    use std::io::{BufRead as _, BufReader};
    let room = Room::new();
    let folder = room.solo("santiago-1898");
    let mut command = room.command("me");
    command.arg("desk").arg(&folder).env("PATH", "/nowhere");
    let mut child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().expect("garcia runs");
    let mut out = BufReader::new(child.stdout.take().expect("output")).lines();
    let mut words = BufReader::new(child.stderr.take().expect("errors")).lines();
    let address = out.nth(1).expect("a second line").expect("text");
    assert!(address.trim().starts_with("http://127.0.0.1:"), "{address}");
    let said = words.next().expect("a word about it").expect("text");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(said.contains("No browser could be opened"), "{said}");
}

#[test]
fn names_are_text_and_never_markup() {
    let room = Room::new();
    let folder = room.solo("santiago-1898");
    let hostile = room.path("games/<img src=x onerror=alert(1)>");
    std::fs::create_dir_all(room.path("games")).expect("a folder");
    std::fs::rename(&folder, &hostile).expect("moved");
    let list = room.desk("me", &room.path("games"), &[]).get("").text();
    assert!(!list.contains("<img") && list.contains("&lt;img"), "{list}");
    assert!(list.contains("href=\"play/0\""), "{list}");
    // What stands in a file comes back as data or escaped.
    let desk = room.desk("me", &hostile, &[]);
    let position = desk.position();
    let odd = text(&position).replace("sp-vol: 1207", "sp-vol: \"<script>alert(1)</script>\"");
    let told = desk.ask("check", &json!({ "text": odd }));
    assert!(told["faults"][0]["what"].as_str().is_some_and(|what| what.contains("<script>")), "as data: {told}");
    assert!(!told["outlook"].as_str().unwrap_or_default().contains("<script"), "{told}");
    let mail = desk.request("POST", &desk.path("game/0/receive"), &[], b"<script>alert(1)</script>");
    assert!(matches!(mail.status, 200 | 422), "{}", mail.text());
    let script = desk.get("desk.js").text();
    for way in ["document.write", "insertAdjacentHTML", "outerHTML", "eval("] {
        assert!(!script.contains(way), "{way}");
    }
    // Everything put in as markup was escaped by the program.
    let markup: Vec<&str> = script.lines().filter(|line| line.contains(".innerHTML =")).collect();
    assert!(
        markup.iter().all(|line| ["pos.map", "unit.picture", "told.outlook", "told.story", "pos.status", ".odds"]
            .iter()
            .any(|from| line.contains(from))),
        "{markup:?}"
    );
}

#[test]
fn several_games_are_listed_with_whose_move_it_is() {
    let room = Room::new();
    room.solo("santiago-1898");
    room.solo("lone-warrior");
    let desk = room.desk("me", &room.path(""), &[]);
    let list = desk.get("").text();
    assert_eq!(list.matches("class=\"yours\"").count(), 2, "{list}");
    for number in ["0", "1"] {
        assert!(list.contains(&format!("play/{number}")), "{list}");
        assert!(desk.get(&format!("play/{number}")).text().contains(&format!("../game/{number}/")));
        assert_eq!(desk.get(&format!("game/{number}/position")).status, 200);
    }
    assert_eq!(desk.get("play/2").status, 404);
}

/// Clicks a first unit for every kind of order the desk offers, and everything it offers is allowed.
#[test]
fn whatever_is_offered_is_allowed_in_every_game() {
    for game in GAMES {
        let room = Room::new();
        let folder = room.solo(game);
        let desk = room.desk("me", &folder, &[]);
        let (began, mut clicked) = (Instant::now(), 0);
        for packet in 0..3 {
            let position = desk.position();
            let (text, mut given) = (text(&position), text(&position));
            assert_eq!(desk.ask("check", &json!({ "text": text }))["ok"], true, "{game}: the template");
            let boxed = position["boxes"].as_array().into_iter().flatten().flat_map(|held| held["units"].as_array());
            let mapped = position["units"].as_array().into_iter();
            let units: Vec<Value> = mapped.chain(boxed).flatten().filter(|unit| unit["own"] == true).cloned().collect();
            assert!(!units.is_empty(), "{game}, packet {packet}: somebody can act");
            let (mut offered, mut kinds) = (0, std::collections::BTreeSet::new());
            // Some from the beginning and the end of the list: of the map, and of the boxes beside it.
            let some = units.iter().take(3).chain(units.iter().rev().take(4)).chain(units.iter().skip(9).step_by(7));
            for unit in some {
                if offered >= 2 || (clicked > 0 && began.elapsed() > ENOUGH) {
                    break;
                }
                let board = unit["board"].as_u64().unwrap_or(0);
                let said = json!({ "text": text, "units": [unit["id"]], "board": board, "patient": true });
                let offers = desk.ask("offers", &said);
                for deed in offers["deeds"].as_array().expect("a list") {
                    kinds.insert(deed["label"].as_str().expect("a label").to_owned());
                    let Some(cell) = deed["cells"].as_array().and_then(|cells| cells.last()) else { continue };
                    let mut click = said.clone();
                    click["deed"] = deed["deed"].clone();
                    click["cell"] = cell["cell"].clone();
                    let written = desk.ask("edit", &click)["text"].as_str().expect("a text").to_owned();
                    let told = desk.ask("check", &json!({ "text": written }));
                    assert_eq!(told["ok"], true, "{game}, packet {packet}: {deed}\n{}\n{written}", told["faults"]);
                    offered += 1;
                    given = written;
                    break;
                }
                if let Some(proposal) = offers["proposals"].as_array().and_then(|list| list.first()) {
                    let click = json!({ "text": text, "proposal": proposal["proposal"] });
                    let written = desk.ask("edit", &click)["text"].as_str().expect("a text").to_owned();
                    let told = desk.ask("check", &json!({ "text": written }));
                    assert_eq!(told["ok"], true, "{game}, packet {packet}: {proposal}\n{}", told["faults"]);
                    offered += 1;
                }
            }
            clicked += offered;
            let signed = desk.sign(&position, &given);
            assert_eq!(signed.status, 200, "{game}, packet {packet}: {}", signed.text());
        }
        assert!(clicked > 0, "{game}: nothing could be clicked");
        assert_ne!(desk.position()["reports"].as_array().map(Vec::len), Some(0));
        let newest = desk.position()["reports"][0]["record"].as_u64().expect("a report");
        let report = desk.get(&format!("game/0/report/{newest}"));
        assert!(report.status == 200 && report.text().contains("class=\"diary\""), "{game}");
        room.run("me", &["-C", &folder.display().to_string(), "verify"]);
    }
}

#[test]
fn what_the_opponent_hides_is_nowhere_in_what_is_served() {
    let room = Room::new();
    let (us, spain) = room.by_mail("santiago-campaign");
    let theirs = room.desk("spain", &spain, &[]);
    let setup = theirs.position();
    assert_eq!(setup["view"], "spain");
    let boxed = setup["boxes"].as_array().into_iter().flatten().find(|held| held["name"] == "Spanish to set up");
    let army = boxed.expect("his army")["units"].as_array().cloned().unwrap_or_default();
    let signed = theirs.sign(&setup, &text(&setup));
    assert_eq!(signed.status, 200, "{}", signed.text());
    let outbox = std::fs::read_dir(spain.join("outbox")).expect("a mail").flatten().map(|entry| entry.path());
    let mail = outbox.max().expect("a mail");
    let desk = room.desk("us", &us, &[]);
    let taken = desk.request("POST", &desk.path("game/0/receive"), &[], &std::fs::read(mail).expect("a mail"));
    assert_eq!(taken.status, 200, "{}", taken.text());
    let position = desk.position();
    assert_eq!((position["view"].as_str(), position["mine"].as_bool()), (Some("us"), Some(true)));
    // Which unit lies under which counter: nothing may tell, whatever is asked.
    let hidden: Vec<&str> = army
        .iter()
        .flat_map(|unit| [unit["id"].as_str(), unit["title"].as_str().and_then(|title| title.split(" · ").nth(1))])
        .flatten()
        .collect();
    assert!(hidden.len() > 60, "the Spanish player sees what he has: {hidden:?}");
    let everything = [
        desk.get("").text(),
        position.to_string(),
        desk.ask("check", &json!({ "text": text(&position) })).to_string(),
        desk.ask("offers", &json!({ "text": text(&position), "units": ["sp-05"], "board": 0 })).to_string(),
        desk.get(&format!("game/0/report/{}", position["reports"][0]["record"])).text(),
    ];
    for name in hidden {
        for (number, served) in everything.iter().enumerate() {
            assert!(!served.contains(name), "answer {number} tells of {name}");
        }
    }
}

/// Two units of a side are the most in a clear hex (§9.2a): where orders before have filled one, a third is not sent there,
/// and is again once one of them goes elsewhere.
#[test]
fn where_a_unit_can_go_heeds_what_is_ordered_before_it() {
    let room = Room::new();
    let desk = room.desk("me", &room.solo("santiago-campaign"), &[]);
    for _ in 0..3 {
        let position = desk.position();
        assert_eq!(desk.sign(&position, &text(&position)).status, 200);
    }
    let position = desk.position();
    let marches = |text: &str, unit: &str| -> Option<(Value, Vec<String>)> {
        let told = desk.ask("offers", &json!({ "text": text, "units": [unit], "board": 0, "patient": true }));
        let deed = told["deeds"].as_array()?.iter().find(|deed| deed["label"] == "moves")?;
        let cells = deed["cells"].as_array()?.iter().filter_map(|cell| cell["cell"].as_str().map(str::to_owned));
        Some((deed["deed"].clone(), cells.collect()))
    };
    let first = text(&position);
    let units = position["units"].as_array().into_iter().flatten().filter(|unit| unit["own"] == true);
    let units = units.filter_map(|unit| unit["id"].as_str());
    let reached: Vec<(&str, Value, Vec<String>)> =
        units.filter_map(|unit| marches(&first, unit).map(|(deed, cells)| (unit, deed, cells))).collect();
    let send = |text: &str, (unit, deed, _): &(&str, Value, Vec<String>), cell: &str| {
        let click = json!({ "text": text, "deed": deed, "units": [unit], "board": 0, "cell": cell });
        desk.ask("edit", &click)["text"].as_str().expect("a text").to_owned()
    };
    let allowed = |text: &str| desk.ask("check", &json!({ "text": text }))["ok"] == true;
    // A hex that two can go to and three cannot; near the head of the list, since the build of the tests is a slow one.
    let mut found = None;
    for third in &reached {
        let others: Vec<_> = reached.iter().filter(|(unit, ..)| *unit != third.0).collect();
        found = third.2.iter().take(4).find_map(|hex| {
            let able: Vec<_> = others.iter().filter(|(_, _, cells)| cells.contains(hex)).take(2).collect();
            let full = able.iter().fold(first.clone(), |text, unit| send(&text, unit, hex));
            (able.len() == 2 && allowed(&full) && !allowed(&send(&full, third, hex)))
                .then(|| (third, hex, full, (*able[0]).clone()))
        });
        if found.is_some() {
            break;
        }
    }
    let (third, hex, full, one) = found.expect("such a hex");
    let cells = marches(&full, third.0).expect("he can march elsewhere").1;
    assert!(!cells.contains(hex) && cells.len() > 3, "{hex} is full: {cells:?}");
    let elsewhere = one.2.iter().find(|cell| *cell != hex && allowed(&send(&full, &one, cell)));
    let room_again = send(&full, &one, elsewhere.expect("another hex"));
    assert!(marches(&room_again, third.0).expect("he can march").1.contains(hex), "{hex} has room again");
}

#[test]
fn a_click_is_answered_while_one_looks() {
    let room = Room::new();
    let desk = room.desk("me", &room.solo("santiago-campaign"), &[]);
    let position = desk.position();
    let unit = &position["boxes"][0]["units"][0]["id"];
    let began = Instant::now();
    desk.ask("offers", &json!({ "text": text(&position), "units": [unit], "board": 0 }));
    // The build of the tests is a slow one; `benches/map.rs` holds the fast one against its limit.
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
}
