//! One game at the desk: the position as its player sees it, his order file, and what can be done with both.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use serde_json::{Value, json};

use crate::cli::folder::{self, ORDERS};
use crate::cli::past::Past;
use crate::cli::sight::Sight;
use crate::cli::{Trouble, World, audit, check, next, receive, resolve, send, status, template};
use crate::draw::svg;
use crate::draw::{Part, Window};
use crate::engine::digest::sha256;
use crate::engine::doc::{Node, read_document};
use crate::engine::submission::{Checked, InForce, Submission, flow, join};
use crate::engine::{Chances, Effort, KindInfo, Moment, Stop};
use crate::report::{ChancesReport, OutlookReport, Page, escape, faults, fragment, html, step};
use crate::scene::{Counter, Scene, trace};
use crate::trust::data::Mode;
use crate::trust::record::RecordKind;
use crate::trust::role::Role;
use crate::trust::seat::Awaited;
use crate::trust::store::{Lock, Readers, write_whole};

use super::deeds::{self, Clicked, Deed, Proposal};
use super::edit::Change;

/// A game folder somebody sits at.
pub struct GameDesk {
    /// What its verbs are given.
    world: World,
    folder: PathBuf,
    now: Mutex<Option<Arc<Now>>>,
    /// One change at a time.
    writing: Mutex<()>,
}

/// A position with everything that is asked of it at every click.
pub struct Now {
    /// What the ledger on disk looked like.
    stamp: String,
    /// The game with the eyes of whoever sits here.
    pub sight: Sight,
    /// The map.
    pub scene: Scene,
    /// What can be clicked.
    pub deeds: Vec<Deed>,
    /// What the template spells out.
    pub proposals: Vec<Proposal>,
    template: String,
    /// The same, read.
    pub begun: Node,
}

impl Now {
    fn new(stamp: String, sight: Sight) -> Now {
        let scene = sight.table().scene(sight.view(None));
        let template = if *sight.stop() == Stop::End { String::new() } else { template::text(&sight) };
        let (deeds, paths) = template::schema(&sight).map(|schema| deeds::read(&schema)).unwrap_or_default();
        let proposals = deeds::proposals(&template, &paths, &scene);
        let begun = read_document("template", template.as_bytes()).map(|(node, _)| node);
        let begun = begun.unwrap_or_else(|_| Node::Map(Vec::new()));
        Now { stamp, sight, scene, deeds, proposals, template, begun }
    }

    /// What the check says of an order file.
    pub fn checked(&self, file: &Node) -> Checked {
        self.sight.due(|due| Submission::check(file, due))
    }

    /// The file the orders due are kept in.
    fn file(&self) -> PathBuf {
        self.sight.folder.join(ORDERS).join(template::file_name(&self.sight))
    }

    /// What can be done besides giving orders.
    fn acts(&self) -> Vec<Value> {
        let (ledger, me) = (&self.sight.ledger, self.sight.role.as_ref());
        let awaited = me.map_or_else(|| ledger.awaited(), |me| ledger.awaited_of(me));
        let owed = me.is_some() && awaited.who() == me;
        let mut acts = Vec::new();
        // Clicked twice, or by two at once, it is done once.
        let last = ledger.protocol().next().saturating_sub(1);
        let mut act = |word: &str, label: &str| acts.push(json!({ "act": word, "label": label, "after": last }));
        match awaited {
            Awaited::Result(_) if ledger.protocol().mode() == Mode::Solo => act("resolve", "Close what is signed"),
            Awaited::Result(_) if ledger.openings_lacking().is_some() => act("absent", "Go on without orders"),
            Awaited::Result(_) | Awaited::Facts(_) | Awaited::Call(_) if owed => act("receive", "Write what is owed"),
            Awaited::Audit(_) if owed => act("audit", "Open what was sealed"),
            Awaited::Packet { .. } | Awaited::Answers { .. } | Awaited::Facts(_) if me == Some(&Role::gm()) => {
                act("absent", "Go on without orders");
            }
            _ => {}
        }
        let spoke_last = ledger.records().last().is_some_and(|record| Some(&record.body().by) == me);
        if spoke_last && ledger.protocol().mode() != Mode::Solo {
            act("resend", "Make the last mail again");
        }
        acts
    }
}

/// A word for trouble that a page understands, with the status it is answered with.
pub struct Refused {
    /// The HTTP status.
    pub status: u16,
    /// What is told.
    pub told: Value,
}

impl From<Trouble> for Refused {
    fn from(trouble: Trouble) -> Refused {
        let busy = trouble.code == crate::cli::exit::BUSY;
        let told = json!({ "error": trouble.what, "remedy": trouble.remedy, "faults": trouble.entries() });
        Refused { status: if busy { 409 } else { 422 }, told }
    }
}

impl Refused {
    /// Something is wrong, and what to do about it.
    pub fn new(status: u16, error: &str, remedy: &str) -> Refused {
        Refused { status, told: json!({ "error": error, "remedy": remedy }) }
    }
}

/// What a request to a game is answered with.
pub type Told = Result<Value, Refused>;

impl GameDesk {
    /// Sits down at a folder.
    pub fn new(folder: PathBuf, world: &World) -> GameDesk {
        let world = World { game: Some(folder.clone()), json: false, ..world.clone() };
        GameDesk { world, folder, now: Mutex::new(None), writing: Mutex::new(()) }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The position; read again if the folder has changed. What is being written is waited for: signed orders whose
    /// result is on its way are no position that anybody should look at.
    pub fn now(&self) -> Result<Arc<Now>, Trouble> {
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.seen()
    }

    /// The position, for whoever writes.
    fn seen(&self) -> Result<Arc<Now>, Trouble> {
        let stamp = self.stamp();
        let mut kept = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(now) = kept.as_ref().filter(|now| now.stamp == stamp) {
            return Ok(Arc::clone(now));
        }
        let now = Arc::new(Now::new(stamp, Sight::open(&self.world)?));
        *kept = Some(Arc::clone(&now));
        Ok(now)
    }

    /// What the ledger on disk looks like: changes when a record comes or goes.
    fn stamp(&self) -> String {
        let mut all = Vec::new();
        for part in ["ledger", "early", folder::DATA] {
            for entry in fs::read_dir(self.folder.join(part)).into_iter().flatten().flatten() {
                let about = entry.metadata().ok();
                let when = about.as_ref().and_then(|about| about.modified().ok());
                let when = when.and_then(|when| when.duration_since(UNIX_EPOCH).ok()).map(|when| when.as_nanos());
                let size = about.map(|about| about.len());
                all.push(format!("{part}/{} {size:?} {when:?}", entry.file_name().to_string_lossy()));
            }
        }
        all.sort();
        sha256(all.join("\n").as_bytes()).chars().take(16).collect()
    }

    /// Has something changed? Asked every few moments.
    pub fn pulse(&self) -> Told {
        let now = self.now()?;
        let on_disk = fs::read(now.file()).ok().map(|bytes| sha256(&bytes));
        Ok(json!({ "stamp": now.stamp, "on-disk": on_disk }))
    }

    /// Everything a page shows of the position.
    pub fn position(&self) -> Told {
        let now = self.now()?;
        let (sight, scene) = (&now.sight, &now.scene);
        let (table, stop) = (sight.table(), sight.stop());
        let file = now.file();
        let saved = fs::read(&file).ok();
        let mine = now.sight.has_to_decide();
        Ok(json!({
            "stamp": now.stamp,
            "head": sight.ledger.protocol().head(),
            "title": scene.title,
            "moment": table.headline(sight.view(None).state),
            "folder": self.folder.display().to_string(),
            "role": sight.role.as_ref().map(|role| role.as_str()),
            "view": scene.view,
            "dice": sight.dice_line(),
            "verdict": table.verdict(sight.view(None).state).map(|verdict| verdict.text),
            "next": next::steps(&sight.ledger, sight.role.as_ref()),
            "mine": mine,
            "verb": sight.signing_verb(),
            "mails": sight.ledger.protocol().roles().len() > 1,
            "due": { "who": stop.who(), "ask": stop.ask() },
            "file": file.file_name().map(|name| name.to_string_lossy().into_owned()),
            "saved": saved.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned()),
            "on-disk": saved.as_ref().map(|bytes| sha256(bytes)),
            "template": now.template,
            "map": map(scene),
            "boxes": boxes(&now),
            "units": units(&now),
            "kinds": kinds(&now),
            // What somebody else is asked, or what is answered already, is no question to whoever sits here.
            "questions": if mine { questions(stop) } else { Vec::new() },
            "reports": self.reports(&now),
            "acts": now.acts(),
            "status": fragment(&status::page(sight)),
        }))
    }

    /// Every result there is to read, the newest first.
    fn reports(&self, now: &Now) -> Vec<Value> {
        let names: Vec<String> = fs::read_dir(self.folder.join("reports"))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name.ends_with(".md") && !name.contains("-for-"))
            .collect();
        let records = now.sight.ledger.records().iter();
        let results = records.filter(|record| record.body().kind == RecordKind::Result).map(|record| record.body().seq);
        let told = |seq: u32| {
            let named = names.iter().find_map(|name| name.strip_prefix(&format!("{seq:04}-"))?.strip_suffix(".md"));
            let label = named.and_then(|named| named.split_once('-')).map_or_else(
                || format!("record {seq}"),
                |(turn, side)| format!("turn {}, {side}", turn.trim_start_matches('t')),
            );
            json!({ "record": seq, "label": label })
        };
        results.map(told).rev().collect()
    }

    /// A report as a page of its own.
    pub fn report(&self, record: u32) -> Result<String, Refused> {
        let records = folder::records(&self.folder)?;
        let past = Past { world: &self.world, folder: self.folder.clone(), records, open: None };
        let sight = past.sight(past.result(record)?)?;
        let told = sight.told().ok_or_else(|| Refused::new(404, "nothing is told of this record", "choose another"))?;
        Ok(html(&told.page.title.clone(), &[told]))
    }

    /// All faults of a text, what would come of it, and how that looks on the map.
    pub fn check(&self, said: &Value) -> Told {
        let now = self.now()?;
        let text = text_of(said)?;
        let name = template::file_name(&now.sight);
        let document = match read_document(&name, text.as_bytes()) {
            Ok(document) => document,
            Err(bad) => return Ok(json!({ "ok": false, "faults": faults::entries(&bad.faults, &bad.source) })),
        };
        let (joined, _) = join(vec![document]);
        let Checked { submission, faults: found, outlook } = now.checked(&joined.node);
        let list: Vec<faults::ShownFault> =
            joined.sort(found).into_iter().flat_map(|(source, list)| faults::entries(&list, source)).collect();
        let reader = now.sight.stop().who();
        let mut entries = Vec::new();
        listed(&joined.node, &mut vec!["orders".to_owned()], &mut entries);
        let mut told = json!({ "ok": submission.is_some(), "faults": list, "entries": entries });
        if let (Some(outlook), Some(reader), Some(into)) = (outlook, reader, told.as_object_mut()) {
            let table = now.sight.table();
            let mut happened = table.depict(&outlook.journal, Some(reader));
            trace(&mut happened, &now.scene);
            let story = |part: &Part<'_>| svg::story(part, &happened);
            let stories: Vec<String> = Part::of(&now.scene, &Window::default()).iter().map(story).collect();
            into.insert("story".into(), json!(stories));
            // What lies face down is told to nobody: where it is to lie stands in the file.
            let placed = deeds::placed(&now, &joined.node).into_iter();
            let placed = placed.map(|(unit, board, cell)| json!([0, board, [unit], cell]));
            into.insert("moves".into(), json!(placed.chain(happened.iter().filter_map(step)).collect::<Vec<_>>()));
            into.insert("laid".into(), json!(outlook.policies.iter().map(laid).collect::<Vec<_>>()));
            let orders = submission.as_ref().and_then(|submission| submission.orders.as_ref());
            let nothing = BTreeMap::new();
            let chances = orders
                .map_or_else(Chances::default, |orders| now.sight.chances(orders, &outlook, &nothing, &check::GLANCE));
            let report = OutlookReport { table, reader, outlook, chances };
            into.insert("outlook".into(), json!(fragment(&report.page())));
        }
        if let (Some(submission), Some(into)) = (&submission, told.as_object_mut()) {
            let packet = check::packet(&now.sight, submission)?;
            let yaml = serde_yaml::to_string(&packet).map_err(|error| Trouble::bug(error.to_string()))?;
            into.insert("signed".into(), json!(yaml));
        }
        Ok(told)
    }

    /// What the orders can come to over all dice.
    pub fn odds(&self, said: &Value) -> Told {
        let now = self.now()?;
        let text = text_of(said)?;
        let document = read_document(&template::file_name(&now.sight), text.as_bytes())
            .map_err(|bad| Trouble::faults(vec![(bad.source, bad.faults)]))?;
        let (joined, found) = join(vec![document]);
        let (submission, outlook, _) = now.sight.foresee_joined(&joined, found)?;
        let (Some(orders), Some(outlook)) = (&submission.orders, outlook) else {
            return Err(Refused::new(422, "there are no orders in the file", "odds are of orders"));
        };
        let effort = Effort::default();
        let chances = now.sight.chances(orders, &outlook, &BTreeMap::new(), &effort);
        if let Some(bug) = &chances.bug {
            return Err(Trouble::bug(bug.clone()).into());
        }
        let (table, reader) = (now.sight.table(), submission.side);
        let report =
            ChancesReport { table, reader, chances: &chances, outlook: Some(&outlook.journal), seed: effort.seed };
        let diary = report.diary();
        let mut page = Page::new("Odds before any die");
        if diary.entries().is_empty() {
            page.lead.push("Nothing in this file hangs on a die.".to_owned());
        }
        page.section("", diary);
        Ok(json!({ "odds": fragment(&page) }))
    }

    /// What can be done with what was clicked.
    pub fn offers(&self, said: &Value) -> Told {
        let now = self.now()?;
        let file = document_of(said)?;
        let word = |value: &Value| value.as_str().map(str::to_owned);
        let units = said.get("units").and_then(Value::as_array).into_iter().flatten().filter_map(word).collect();
        let board = said.get("board").and_then(Value::as_u64).and_then(|board| usize::try_from(board).ok());
        let patient = said.get("patient").and_then(Value::as_bool).unwrap_or(false);
        let clicked = Clicked { units, board: board.unwrap_or(0), cell: said.get("cell").and_then(word), patient };
        Ok(deeds::offers(&now, &file, &clicked))
    }

    /// The text with something written into it: a deed, one of the template's lines, a policy, an answer, or less of it.
    pub fn edit(&self, said: &Value) -> Told {
        let now = self.now()?;
        let text = text_of(said)?;
        let (file, changes) = (document_of(said)?, |file: &Node| wanted(&now, file, said));
        let changes =
            changes(&file).ok_or_else(|| Refused::new(400, "that cannot be written", "type it into the file"))?;
        let mut text = text.to_owned();
        for change in &changes {
            text = change.on_text(&text).map_err(|why| Refused::new(422, &why, "type it into the file"))?;
        }
        Ok(json!({ "text": text }))
    }

    /// Writes the order file, unless somebody else has written it meanwhile.
    pub fn save(&self, said: &Value) -> Told {
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.seen()?;
        self.write(&now, said)
    }

    fn write(&self, now: &Now, said: &Value) -> Told {
        let text = text_of(said)?;
        if said.get("stamp").and_then(Value::as_str) != Some(&now.stamp) {
            let remedy = "the page shows the new one; your text is kept in it, and nothing was written";
            return Err(Refused::new(409, "the position has changed meanwhile", remedy));
        }
        let path = now.file();
        let there = fs::read(&path).ok();
        let known = said.get("on-disk").and_then(Value::as_str);
        if let Some(there) = there.filter(|there| Some(sha256(there).as_str()) != known && there != text.as_bytes()) {
            let error = format!("{} was written by somebody else meanwhile", path.display());
            let mut refused = Refused::new(409, &error, "look at both texts and choose one; nothing was written");
            if let Some(into) = refused.told.as_object_mut() {
                into.insert("theirs".into(), json!(String::from_utf8_lossy(&there)));
                into.insert("on-disk".into(), json!(sha256(&there)));
            }
            return Err(refused);
        }
        let _held = Lock::take(&self.folder).map_err(Trouble::from)?;
        template::keep_schemas(&now.sight)?;
        write_whole(&path, text.as_bytes(), Readers::Anyone).map_err(Trouble::from)?;
        Ok(json!({ "saved": path.display().to_string(), "on-disk": sha256(text.as_bytes()) }))
    }

    /// Saves the text and signs it: final.
    pub fn sign(&self, said: &Value) -> Told {
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.seen()?;
        if !now.sight.has_to_decide() {
            return Err(Refused::new(409, "no orders are due from you now", "nothing was signed"));
        }
        self.write(&now, said)?;
        let eml = said.get("eml").and_then(Value::as_bool).unwrap_or(false);
        let done = match now.sight.signing_verb() {
            "resolve" => resolve::carried_out(now.file(), eml, &self.world)?,
            _ => send::signed(now.file(), eml, &self.world)?,
        };
        Ok(json!({ "told": done.text }))
    }

    /// Writes what needs no decision.
    pub fn act(&self, said: &Value) -> Told {
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let eml = said.get("eml").and_then(Value::as_bool).unwrap_or(false);
        let done = match said.get("act").and_then(Value::as_str) {
            Some("resolve") => resolve::gone_on(eml, &self.world)?,
            Some("absent") => {
                let after = said.get("after").and_then(Value::as_u64).and_then(|after| u32::try_from(after).ok());
                resolve::without(after, eml, &self.world)?
            }
            Some("receive") => receive::taken(Vec::new(), eml, &self.world)?,
            Some("audit") => audit::opened(eml, &self.world)?,
            Some("resend") => send::again(eml, &self.world)?,
            _ => return Err(Refused::new(400, "there is nothing of that name to do", "reload the page")),
        };
        Ok(json!({ "told": done.text }))
    }

    /// Takes a mail that was dropped on the page.
    pub fn receive(&self, mail: &[u8]) -> Told {
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let file = std::env::temp_dir().join(format!("garcia-desk-{}-{}.eml", std::process::id(), sha256(mail)));
        write_whole(&file, mail, Readers::OwnerOnly).map_err(Trouble::from)?;
        let taken = receive::taken(vec![file.clone()], false, &self.world);
        fs::remove_file(&file).ok();
        // The file has a name of our making, of no use to anybody.
        let name = file.display().to_string();
        let plain = |text: String| text.replace(&name, "the mail");
        let done = taken.map_err(|mut trouble| {
            trouble.what = plain(std::mem::take(&mut trouble.what));
            trouble
        })?;
        Ok(json!({ "told": plain(done.text) }))
    }
}

/// The text of the order file in a request.
fn text_of(said: &Value) -> Result<&str, Refused> {
    let text = said.get("text").and_then(Value::as_str);
    text.ok_or_else(|| Refused::new(400, "the request carries no text", "reload the page"))
}

fn document_of(said: &Value) -> Result<Node, Refused> {
    let read = read_document("orders", text_of(said)?.as_bytes());
    read.map(|(node, _)| node)
        .map_err(|_| Refused::new(422, "the text cannot be read as it is", "put the faults below it right first"))
}

/// Every order that is an item of a list, with the way to it.
fn listed(file: &Node, path: &mut Vec<String>, into: &mut Vec<Value>) {
    let Some(there) = path.iter().try_fold(file, |node, key| node.get(key)) else { return };
    match there {
        Node::List(items) => {
            for (number, item) in items.iter().enumerate() {
                let way: Vec<String> = path.iter().cloned().chain([number.to_string()]).collect();
                into.push(json!({ "path": way, "text": flow(&item.to_json()) }));
            }
        }
        Node::Map(parts) => {
            for (key, _) in parts {
                path.push(key.clone());
                listed(file, path, into);
                path.pop();
            }
        }
        Node::Text { .. } => {}
    }
}

/// What a request wants written.
fn wanted(now: &Now, file: &Node, said: &Value) -> Option<Vec<Change>> {
    let word = |value: &Value| value.as_str().map(str::to_owned);
    let words = |value: &Value| value.as_array().map(|list| list.iter().filter_map(word).collect::<Vec<String>>());
    let number = |key: &str| said.get(key).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
    if let Some(deed) = number("deed") {
        let units = said.get("units").and_then(words).unwrap_or_default();
        let place = said.get("cell").and_then(Value::as_str).unwrap_or_default();
        return now.deeds.get(deed).map(|deed| deed.changes(file, &units, place)).filter(|changes| !changes.is_empty());
    }
    if let Some(proposal) = number("proposal") {
        return now.proposals.get(proposal).map(|proposal| vec![proposal.change.clone()]);
    }
    if let Some(path) = said.get("remove").and_then(words) {
        return Some(vec![Change::Remove { path }]);
    }
    let (path, key) = (said.get("path").and_then(words)?, said.get("key").and_then(word)?);
    let value = said.get("value").and_then(word)?;
    if path.first().map(String::as_str) == Some("answers") {
        return answer(file, key, value).map(|change| vec![change]);
    }
    Some(vec![Change::Set { path, key, value }])
}

/// An answer under its key: `{key: …, choice: …}` in a list, or `key: choice`.
fn answer(file: &Node, key: String, value: String) -> Option<Change> {
    let path = || vec!["answers".to_owned()];
    let Some(answers) = file.get("answers").and_then(Node::as_list) else {
        if file.get("answers").and_then(Node::as_map).is_some() {
            return Some(Change::Set { path: path(), key, value });
        }
        return Some(Change::Append { path: path(), item: format!("{{key: {key}, choice: {value}}}") });
    };
    let given = answers.iter().position(|answer| answer.get("key").and_then(Node::as_text) == Some(&key));
    Some(match given {
        Some(at) => Change::Set { path: vec!["answers".to_owned(), at.to_string()], key: "choice".to_owned(), value },
        None => Change::Append { path: path(), item: format!("{{key: {key}, choice: {value}}}") },
    })
}

/// The maps, ready to be looked at.
fn map(scene: &Scene) -> String {
    let mut out = format!("<svg class=\"shared\" width=\"0\" height=\"0\" aria-hidden=\"true\">{}</svg>", svg::DEFS);
    for part in Part::of(scene, &Window::default()) {
        let ((x, y), (w, h)) = svg::extent(&part);
        if !part.board.name.is_empty() {
            out.push_str(&format!("<h3>{}</h3>", escape(&part.board.name)));
        }
        out.push_str(&format!(
            "<svg class=\"board\" data-board=\"{}\" viewBox=\"{} {} {} {}\" role=\"group\" aria-label=\"Map\">\
             <g class=\"ground\">{}</g>{}<g class=\"could\"></g>{}{}<g class=\"names-over\">{}</g>\
             <g class=\"planned\"></g><g class=\"ghosts\"></g></svg>",
            part.index,
            x - 4,
            y - 4,
            w + 8,
            h + 8,
            svg::ground(&part),
            svg::cells(&part),
            svg::counters(&part),
            svg::flags(&part),
            svg::names(&part),
        ));
    }
    out
}

/// A counter in a box of its own.
fn picture(scene: &Scene, counter: &Counter) -> String {
    let drawn = svg::counter(scene, counter, (0, 0), 54);
    format!("<svg class=\"lone\" viewBox=\"-30 -30 60 60\" width=\"44\" height=\"44\">{drawn}</svg>")
}

fn boxes(now: &Now) -> Vec<Value> {
    let held = |held: &crate::scene::OffMap| {
        let units: Vec<Value> = held.counters.iter().map(|counter| unit(now, counter, None)).collect();
        json!({ "name": held.name, "units": units })
    };
    now.scene.boxes.iter().map(held).collect()
}

fn units(now: &Now) -> Vec<Value> {
    let on = |(board, on): (usize, &crate::scene::Board)| {
        on.counters.iter().map(|counter| unit(now, counter, Some(board))).collect::<Vec<_>>()
    };
    now.scene.boards.iter().enumerate().flat_map(on).collect()
}

fn unit(now: &Now, counter: &Counter, board: Option<usize>) -> Value {
    let side = now.scene.force(counter.force).map(|force| force.side);
    json!({
        "id": counter.id, "name": counter.name, "cell": counter.cell, "board": board, "ready": counter.ready,
        "own": side.is_some() && side == now.sight.stop().who(), "title": svg::counter_title(&now.scene, counter),
        "picture": picture(&now.scene, counter),
    })
}

/// Questions that may come up, with what may be said to each.
fn kinds(now: &Now) -> Vec<Value> {
    let (Some(side), Stop::Orders { .. }) = (now.sight.stop().who(), now.sight.stop()) else { return Vec::new() };
    let table = now.sight.table();
    let game = table.ruleset();
    let quiet = game.unquestioned(now.sight.stop().ask());
    let asks = now.sight.questions().ask;
    let mut list = Vec::new();
    for (own, path) in [(true, "policies"), (false, "standing")] {
        let fits = |info: &&KindInfo| {
            let when = match info.moment {
                Moment::OwnTurn => own,
                Moment::OpponentsTurn => !own,
                Moment::Either => true,
            };
            when && info.asked_of.contains(&side) && !(own && quiet) && !table.rules_out(info.kind)
        };
        list.extend(game.kinds().iter().filter(fits).map(|info| {
            json!({
                "path": path, "kind": info.kind, "clause": info.clause.to_string(), "text": info.text,
                "default": info.default, "forms": game.forms(info, &[side]), "ask": asks,
            })
        }));
    }
    list
}

fn laid(policy: &InForce) -> Value {
    let path = if policy.own { "policies" } else { "standing" };
    json!({ "path": path, "kind": policy.kind, "said": flow(&policy.said), "from": policy.whence() })
}

fn questions(stop: &Stop) -> Vec<Value> {
    let Stop::Answers { questions, .. } = stop else { return Vec::new() };
    let told = |asked: &crate::engine::Asked| {
        json!({
            "key": asked.key, "clause": asked.clause.to_string(), "text": asked.text, "complete": asked.complete,
            "options": asked.options.iter().map(flow).collect::<Vec<_>>(), "default": flow(&asked.default),
        })
    };
    questions.iter().map(told).collect()
}
