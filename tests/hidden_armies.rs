//! The Santiago Campaign, 1898, with an army that lies face down: what the US player holds tells him nothing that was
//! not shown or stated, and whoever shows or states what is not so is found out.

mod players;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use garcia::engine::dice::{Chance, Seed};
use garcia::engine::doc::{DocPath, Node, Reader};
use garcia::engine::json::Json;
use garcia::engine::{Charter, Dice, Key, Match, Questions, Said, Side, Slot, Stop, View, Window};
use garcia::games;
use garcia::mail::{Openings, records_in};
use garcia::play::Sitting;
use garcia::report::{Look, TurnReport, markdown, picture_text};
use garcia::trust::finding::Level;
use garcia::trust::home::Home;
use garcia::trust::ledger::{Ledger, Pen};
use garcia::trust::record::{Body, Kind, Record};
use garcia::trust::referee::Vision;
use garcia::trust::seat::Seat;
use garcia::trust::secret::commitment;
use garcia::trust::store::{LedgerFolder, Lock};
use garcia::trust::{Id, Role};
use players::{Pair, check, home, lay, mailed, role};

const US: Side = Side("us");
const SPAIN: Side = Side("spain");

/// Spanish units that exert zones of control and may move, by the place they start in.
const LINE: [&[&str]; 3] = [
    &[
        "sp-1-65", "sp-2-65", "sp-1-29", "sp-1-55", "sp-4-tal", "sp-1-11", "sp-1-ppr", "sp-1-nvl", "sp-2-nvl",
        "sp-1-vi", "sp-2-vi", "sp-1-tg", "sp-2-tg", "sp-rey", "sp-3-ing",
    ],
    &["sp-1-75", "sp-2-75", "sp-3-alc", "sp-1-52", "sp-19-pr", "sp-cal"],
    &["sp-1-64", "sp-2-64", "sp-1-35", "sp-1-3", "sp-cat", "sp-g-vi"],
];
/// Spanish batteries on the map from the start.
const BATTERIES: [&str; 3] = ["sp-6-4", "sp-1-fa", "sp-2-fa"];

/// Another name for each unit; those that are not named keep theirs.
type Exchange = BTreeMap<String, String>;

fn exchanged(value: &Json, exchange: &Exchange) -> Json {
    match value {
        Json::Str(text) => Json::Str(exchange.get(text).unwrap_or(text).clone()),
        Json::List(items) => Json::List(items.iter().map(|item| exchanged(item, exchange)).collect()),
        Json::Map(members) => {
            Json::Map(members.iter().map(|(key, item)| (key.clone(), exchanged(item, exchange))).collect())
        }
        other => other.clone(),
    }
}

/// The units of each place that may change names, each with the next one's.
fn rotation(may: impl Fn(&str) -> bool) -> Exchange {
    let mut exchange = Exchange::new();
    for group in LINE {
        let units: Vec<&str> = group.iter().copied().filter(|unit| may(unit)).collect();
        for (at, unit) in units.iter().enumerate() {
            exchange.insert((*unit).to_owned(), units[(at + 1) % units.len()].to_owned());
        }
    }
    exchange
}

/// A packet with everything in the clear, and what was said with it.
#[derive(Clone)]
struct Packet {
    orders: Json,
    said: Said,
}

/// Everything the US player gets to see of one packet.
#[derive(Clone, Debug, PartialEq)]
struct Held {
    signed: Json,
    sealed: usize,
    rolls: Vec<(Key, Vec<u16>)>,
    opened: Vec<(Slot, Json)>,
    claims: Vec<(Key, Json)>,
    state: Json,
    stop: String,
    events: Vec<Json>,
    report: String,
    template: String,
    map: String,
    holdings: Vec<(Side, Slot, Json)>,
}

fn table() -> Box<dyn Match> {
    games::find("santiago-campaign").expect("a game").open(&Charter::default()).expect("a table")
}

/// A match in memory: what was said, what the US player saw of it, and the counter of each Spanish unit.
struct Game {
    packets: Vec<Packet>,
    held: Vec<Held>,
    army: BTreeMap<String, String>,
}

/// Plays the first packets of a match in memory: by chance, or a given one again with some units exchanged. Both with the same dice.
fn play(name: &str, most: usize, script: Option<(&[Packet], &Exchange)>) -> Result<Game, String> {
    let table = table();
    let (state, stop) = table.begin();
    let mut sitting = Sitting::new(&*table, state, stop, Default::default());
    let mut chance = Chance::new(name);
    let (mut packets, mut held) = (Vec::new(), Vec::new());
    let mut army = BTreeMap::new();
    for number in 0..most {
        let Stop::Orders { who, ask, .. } = sitting.stop.clone() else { break };
        let own = sitting.holdings_of(who);
        let view = View { state: &sitting.state, holdings: &own, side: Some(who) };
        let packet = match script {
            Some((packets, exchange)) => {
                let packet: &Packet = &packets[number];
                let orders = if number == 0 { exchanged(&packet.orders, exchange) } else { packet.orders.clone() };
                Packet { orders, said: packet.said.clone() }
            }
            None => {
                let orders = table.random_orders(view, &sitting.stop, &mut chance);
                let (orders, faults) = table.check(view, &sitting.stop, orders, &DocPath::root());
                assert!(faults.iter().all(|fault| fault.warning), "{faults:?}");
                let mut said = Said::default();
                for info in table.ruleset().kinds() {
                    for side in info.asked_of.iter().copied() {
                        if chance.one_in(2) {
                            continue;
                        }
                        let policy = table.random_policy(&sitting.state, info.kind.0, &mut chance);
                        said.policies.insert((side, info.kind.0.to_owned()), policy);
                    }
                }
                Packet { orders: table.orders_json(&orders).expect("canonical"), said }
            }
        };
        let mut reader = Reader::new(table.lexicon());
        let node = Node::from_json(&packet.orders);
        let orders = table.read_orders(ask, &node, &DocPath::root(), &mut reader).expect("a packet");
        let mut sealed = 0;
        let plan = (ask == "spanish-turn").then_some(7);
        let signed = table.seal(&sitting.state, orders.clone(), plan, &mut |_, _| sealed += 1);
        let signed = table.orders_json(&signed).expect("canonical");
        let headline = table.headline(&sitting.state);
        let mut span = sitting.span(orders, packet.said.clone(), Questions::default());
        let seed = Seed::of_segment(name, &number.to_string());
        let outcome = sitting.resolve(&span, Dice::Seed(seed)).map_err(|failure| format!("{name}: {failure}"))?;
        sitting.follow(&mut span, &outcome).map_err(|why| format!("{name}: {why}"))?;
        let (journal, minutes) = (outcome.journal.clone(), outcome.minutes.clone());
        sitting.end_span(span, outcome);
        if number == 0 {
            let all = sitting.holdings_of(SPAIN).0;
            let text = |value: Json| value.as_str().expect("a unit").to_owned();
            army = all.into_iter().map(|((_, slot), value)| (text(value), slot.to_string())).collect();
        }
        let known = sitting.holdings_of(US);
        let view = View { state: &sitting.state, holdings: &known, side: Some(US) };
        let report = TurnReport {
            table: &*table,
            headline,
            lead: Vec::new(),
            view,
            journal: &journal,
            told: 0,
            stop: &sitting.stop,
        };
        held.push(Held {
            signed,
            sealed,
            rolls: minutes.rolls.into_iter().map(|roll| (roll.label, roll.faces)).collect(),
            opened: minutes.reveals.into_iter().map(|opening| (opening.slot, opening.value)).collect(),
            claims: minutes.claims.into_iter().map(|claim| (claim.key, claim.value)).collect(),
            state: table.state_json(&sitting.state).expect("canonical"),
            stop: format!("{:?}", sitting.stop),
            events: table.events(&journal, Some(US)).expect("canonical"),
            report: markdown(&report.page()),
            template: if sitting.stop.who() == Some(US) { table.template(view, &sitting.stop) } else { String::new() },
            map: picture_text(&table.picture(view, &Window::default()).expect("a map"), Look::PLAIN),
            holdings: known.0.into_iter().map(|((side, slot), value)| (side, slot, value)).collect(),
        });
        packets.push(packet);
    }
    Ok(Game { packets, held, army })
}

#[test]
fn the_us_player_holds_the_same_for_two_hidden_armies_all_through_a_game() {
    let mut compared = 0;
    for name in (1..12).map(|number| format!("two armies {number}")) {
        let name = name.as_str();
        let Game { packets, held, army } = play(name, 14, None).expect("played");
        let opened: BTreeSet<&str> =
            held.iter().flat_map(|held| &held.opened).filter_map(|(_, value)| value.as_str()).collect();
        // Two facts tell who is weaker than whom: who is released first, and who makes room for a retreat.
        let strength: Vec<String> = held
            .iter()
            .flat_map(|held| &held.claims)
            .filter(|(key, _)| key.as_str().contains("/strongest/") || key.as_str().contains("/chains/"))
            .map(|(key, value)| format!("{key} {value}"))
            .collect();
        let released = strength.iter().any(|claim| claim.contains("/strongest/"));
        let told = |unit: &str| {
            let token = army.get(unit).map_or("", String::as_str);
            strength.iter().any(|claim| claim.contains(token)) || released && LINE[2].contains(&unit)
        };
        let exchange = rotation(|unit| !opened.contains(unit) && !told(unit));
        let count = |what: fn(&Held) -> usize| held.iter().map(what).sum::<usize>();
        let claims = count(|held| held.claims.len());
        // A game in which enough stays hidden, and in which something is opened and something is stated.
        if exchange.len() < 5 || held.len() < 8 || claims == 0 || count(|held| held.opened.len()) == 0 {
            continue;
        }
        let other = play(name, 14, Some((&packets, &exchange))).expect("played again").held;
        assert_eq!(held.len(), other.len(), "{name}");
        for (at, (one, two)) in held.iter().zip(&other).enumerate() {
            assert_eq!(one, two, "{name}, packet {at}");
        }
        compared += 1;
        if compared == 2 {
            return;
        }
    }
    panic!("{compared} games were worth comparing");
}

#[test]
fn a_battery_in_the_place_of_a_battalion_shows_in_a_claim_and_in_nothing_else() {
    let (mut alike, mut told_apart) = (0, 0);
    for name in (1..20).map(|number| format!("battery {number}")) {
        if alike > 0 && told_apart > 0 {
            return;
        }
        let Game { packets, held, army } = play(&name, 6, None).expect("played");
        let opened: BTreeSet<&str> =
            held.iter().flat_map(|held| &held.opened).filter_map(|(_, value)| value.as_str()).collect();
        for battery in BATTERIES.iter().filter(|unit| !opened.contains(**unit)) {
            for battalion in LINE[0].iter().filter(|unit| !opened.contains(**unit)) {
                let names = [(*battery, *battalion), (*battalion, *battery)];
                let exchange: Exchange =
                    names.iter().map(|(one, two)| ((*one).to_owned(), (*two).to_owned())).collect();
                // Where they do not fit into each other's hexes the exchange is no legal army.
                let Ok(Game { held: other, .. }) = play(&name, 6, Some((&packets, &exchange))) else { continue };
                match held.iter().zip(&other).find(|(one, two)| one != two) {
                    Some((one, two)) => {
                        assert_ne!(one.claims, two.claims, "{name}: {battery} for {battalion}, {army:?}");
                        told_apart += 1;
                    }
                    None => alike += 1,
                }
            }
        }
    }
    panic!("{alike} exchanges went unseen, {told_apart} were told apart by a claim");
}

/// A match by mail as the command line plays it, in folders of both players.
struct Match2 {
    folder: tempfile::TempDir,
    secrets: tempfile::TempDir,
    records: Vec<Record>,
}

fn rehearsed(seed: &str, mails: &str) -> Match2 {
    let (folder, secrets) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let done = Command::new(env!("CARGO_BIN_EXE_garcia"))
        .args(["rehearse", "santiago-campaign"])
        .arg(folder.path())
        .args(["--seed", seed, "--mails", mails, "--home"])
        .arg(secrets.path())
        .output()
        .expect("run");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let read = LedgerFolder::of_game(&folder.path().join("us")).read().expect("a ledger");
    let records = read.files.into_iter().map(|file| file.record.expect("a record")).collect();
    Match2 { folder, secrets, records }
}

/// The first of some matches by mail that has what a test is about.
fn rehearsed_with(mails: &str, wanted: impl Fn(&[Record]) -> bool) -> Match2 {
    let matches = (1..9).map(|seed| rehearsed(&seed.to_string(), mails));
    matches.into_iter().find(|played| wanted(&played.records)).expect("such a match")
}

/// Everything stated about hidden things, as text.
fn claims(records: &[Record]) -> Vec<String> {
    let lists = records.iter().filter_map(|record| record.body().data.get("claims").and_then(Json::as_list));
    lists.flatten().map(Json::to_string).collect()
}

/// The Spanish values, by slot and version.
fn values(secrets: &Path, game: &Id) -> BTreeMap<String, Json> {
    let home = Home::find(Some(&secrets.join("spain"))).expect("a home");
    home.game(game, &role("spain")).expect("secrets").values().clone()
}

/// The vision of a Spanish player whose units are exchanged.
fn vision(values: &BTreeMap<String, Json>, exchange: &Exchange) -> Vision {
    let mut vision = Vision::public();
    for (name, value) in values {
        let (slot, version) = name.rsplit_once('/').expect("a version");
        let slot = Slot::parse(slot).expect("a slot");
        vision.add(&role("spain"), &slot, version.parse().expect("a number"), exchanged(value, exchange));
    }
    vision
}

fn is_counter(slot: &str) -> bool {
    slot.len() == 5 && slot.starts_with("sp-")
}

/// Units that were opened in the ledger.
fn opened(records: &[Record]) -> BTreeSet<String> {
    let reveals = records.iter().filter_map(|record| record.body().data.get("reveals").and_then(Json::as_list));
    let units = reveals.flatten().filter(|reveal| reveal.get("slot").and_then(Json::as_str).is_some_and(is_counter));
    units.filter_map(|reveal| reveal.get("value").and_then(Json::as_str).map(str::to_owned)).collect()
}

fn texts_below(folder: &Path, texts: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).expect("listed").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            texts_below(&entry, texts);
            continue;
        }
        let bytes = std::fs::read(&entry).expect("read");
        let name = entry.display().to_string();
        // A mail is read as its reader's program would: the records, and the text around them.
        for record in records_in(&name, &bytes).records {
            texts.push((name.clone(), record.to_yaml()));
        }
        texts.push((name, String::from_utf8(bytes).expect("text").replace("=\r\n", "")));
    }
}

fn names(text: &str, unit: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    text.match_indices(unit).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(part) && !text[at + unit.len()..].chars().next().is_some_and(part)
    })
}

#[test]
fn nothing_in_the_us_players_folder_or_his_mail_names_a_unit_that_was_never_shown() {
    let played = rehearsed_with("16", |records| opened(records).len() > 1);
    let game = played.records[0].id();
    let army = values(played.secrets.path(), &game);
    let shown = opened(&played.records);
    let units: BTreeSet<&str> = army
        .iter()
        .filter(|(name, _)| name.rsplit_once('/').is_some_and(|(slot, _)| is_counter(slot)))
        .filter_map(|(_, value)| value.as_str())
        .filter(|unit| !shown.contains(*unit))
        .collect();
    assert!(units.len() > 10, "{} hidden, {} shown", units.len(), shown.len());
    let mut texts = Vec::new();
    texts_below(&played.folder.path().join("us"), &mut texts);
    texts_below(&played.folder.path().join("mails"), &mut texts);
    for (file, text) in &texts {
        for unit in &units {
            assert!(!names(text, unit), "{file} names {unit}");
        }
    }
    // The Spanish player's own reports do name them, so the search is no empty one.
    let mut own = Vec::new();
    texts_below(&played.folder.path().join("spain").join("reports"), &mut own);
    assert!(units.iter().any(|unit| own.iter().any(|(_, text)| names(text, unit))));
}

#[test]
fn the_same_records_would_stand_in_the_ledger_for_another_hidden_army() {
    // Two facts tell who is weaker than whom: who is released first, and who makes room for a retreat.
    let strength = |claim: &String| claim.contains("/strongest/") || claim.contains("/chains/");
    let played = rehearsed_with("18", |records| {
        let said = claims(records);
        !opened(records).is_empty() && said.len() > 2 && !said.iter().any(strength)
    });
    let game = played.records[0].id();
    let army = values(played.secrets.path(), &game);
    let shown = opened(&played.records);
    let kinds: BTreeSet<&Kind> = played.records.iter().map(|record| &record.body().kind).collect();
    assert!(kinds.contains(&Kind::Plan), "the Spanish turn is a plan");
    let by = |record: &&Record| record.body().kind == Kind::Result && record.body().seq > 5;
    assert!(played.records.iter().filter(by).all(|r| r.body().by == role("spain")), "Spain closes both turns");
    let exchange = rotation(|unit| !shown.contains(unit));
    assert!(exchange.len() > 6);
    // With his values the Spanish program comes to every opening, claim, state and stop that is on record.
    Ledger::replay(played.records.clone(), lay, vision(&army, &Exchange::new())).expect("his own army");
    Ledger::replay(played.records.clone(), lay, vision(&army, &exchange)).expect("another army");
}

/// How many counters were opened and lie face down again under a new commitment.
fn sealed_anew(records: &[Record]) -> usize {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut anew = 0;
    for record in records {
        let list = |name: &str| record.body().data.get(name).and_then(Json::as_list).unwrap_or_default();
        let at = |item: &Json| {
            let slot = item.get("slot").and_then(Json::as_str).expect("a slot").to_owned();
            (slot, item.get("version").and_then(Json::as_int).expect("a version") as u32)
        };
        for (slot, version) in list("reveals").iter().map(at).filter(|(slot, _)| is_counter(slot)) {
            seen.insert(slot, version);
        }
        for (slot, version) in list("hide").iter().map(at).filter(|(slot, version)| is_counter(slot) && *version > 1) {
            assert_eq!(record.body().kind, Kind::Result, "only where a span ends");
            assert_eq!(record.body().by, role("spain"));
            anew += usize::from(seen.get(&slot) == Some(&(version - 1)));
        }
    }
    anew
}

#[test]
fn what_was_seen_in_battle_is_sealed_anew_and_mixed_within_its_hex() {
    rehearsed_with("18", |records| sealed_anew(records) > 0);
}

/// A match of two with the Spanish player's key and secrets at hand.
struct Bench {
    pair: Pair,
    spain: usize,
}

impl Bench {
    fn until(seed: &str, enough: impl Fn(&[Record]) -> bool) -> Bench {
        let ruleset = games::find("santiago-campaign").expect("a game");
        let mut pair = Pair::begin(ruleset, &Charter::default(), false, None, seed);
        let spain = pair.seats.iter().position(|seat| *seat.role() == role("spain")).expect("a seat");
        for most in 3..120 {
            if enough(pair.records()) {
                return Bench { pair, spain };
            }
            pair.play(most);
        }
        panic!("{seed}: the game never came to it");
    }

    fn records(&self) -> &[Record] {
        self.pair.records()
    }

    fn home_of(&self, who: &Role) -> Home {
        home(&self.pair.homes[usize::from((*who == role("spain")) != (self.spain == 0))])
    }

    /// The ledger up to a record, which the Spanish player signs otherwise.
    fn forged(&self, at: usize, change: impl FnOnce(&mut Body)) -> Vec<Record> {
        let mut body = self.records()[at].body().clone();
        change(&mut body);
        let mut all = self.records()[..at].to_vec();
        all.push(Record::sign(body, &self.home_of(&role("spain")).identity().expect("a key")).expect("signed"));
        all
    }

    /// Goes on from some records with a Spanish player who believes in these values, to the end by capitulation of
    /// whoever is due, and the audits of both. His secrets are a copy: what he signed before stays signed.
    fn finish(&self, records: Vec<Record>, believed: &Vision, sealed: &BTreeMap<String, Json>) -> Vec<Record> {
        let mut records = records;
        let mut truth = self.values();
        truth.extend(sealed.clone());
        let spain = role("spain");
        let game = records[0].id();
        for _ in 0..12 {
            let ledger = Ledger::replay(records.clone(), lay, believed.clone()).expect("good so far");
            let stop = ledger.referee().stop().clone();
            let due = ledger.awaited().who().cloned();
            let Some(who) = due else { return records };
            let key = self.home_of(&who).identity().expect("a key");
            let mut file = match who == spain {
                true => self.copy_of(&game, &who),
                false => self.home_of(&who).game(&game, &who).expect("secrets"),
            };
            let vision = if who == spain { believed.clone() } else { Vision::of(&file) };
            let mut ledger = Ledger::replay(records.clone(), lay, vision).expect("good so far");
            let mut pen = Pen { key: &key, file: &mut file };
            let walk = ledger.walk();
            let record = match walk.due() {
                garcia::trust::walk::Due::Result(_) => ledger.close(&mut pen).expect("closed"),
                garcia::trust::walk::Due::Call(_) => ledger.call(&mut pen).expect("called"),
                garcia::trust::walk::Due::Audit(_) if who == spain => {
                    let opened = |(slot, sealing): (&Slot, &garcia::trust::seals::Sealing)| {
                        let name = format!("{slot}/{}", sealing.version);
                        let value = truth.get(&name).unwrap_or_else(|| panic!("{name}")).clone();
                        (name, value)
                    };
                    let values = walk.seals().of_role(&spain).map(opened).collect();
                    let body = Body {
                        by: spain.clone(),
                        data: Json::object([
                            ("hide_secret", Json::from(pen.file.secret().hide().0.to_string())),
                            ("values", Json::Map(values)),
                            ("secret_rolls", Json::List(vec![])),
                        ]),
                        game: walk.game(),
                        kind: Kind::Audit,
                        prev: walk.head(),
                        seq: walk.next(),
                    };
                    Record::sign(body, &key).expect("signed")
                }
                garcia::trust::walk::Due::Audit(_) => ledger.audit(&mut pen).expect("audited"),
                _ => {
                    let orders = Json::object([("capitulate", true)]);
                    let nonce = pen.file.secret().nonce(&walk.head()).to_string();
                    let state = ledger.referee().hash(ledger.referee().state()).expect("a hash").to_string();
                    let (kind, data) = match stop {
                        Stop::Orders { flow: garcia::engine::Flow::Plan, .. } => {
                            let empty = Json::List(vec![]);
                            let data = [
                                ("state", Json::from(state)),
                                ("orders", orders),
                                ("entries", Json::from(0u32)),
                                ("hide", empty),
                            ];
                            (Kind::Plan, Json::object(data))
                        }
                        _ => {
                            let data = [("nonce", Json::from(nonce)), ("state", Json::from(state)), ("orders", orders)];
                            (Kind::Orders, Json::object(data))
                        }
                    };
                    let body =
                        Body { by: who.clone(), data, game: walk.game(), kind, prev: walk.head(), seq: walk.next() };
                    Record::sign(body, &key).expect("signed")
                }
            };
            if who == spain {
                truth.extend(file.values().clone());
            }
            records.push(record);
        }
        records
    }

    /// A copy of a player's secrets that has signed nothing yet.
    fn copy_of(&self, game: &Id, who: &Role) -> garcia::trust::home::GameFile {
        let file = self.home_of(who).game(game, who).expect("secrets");
        garcia::trust::home::GameFile::in_memory(*game, who.clone(), file.secret().clone(), file.links())
    }

    fn values(&self) -> BTreeMap<String, Json> {
        let game = self.records()[0].id();
        self.home_of(&role("spain")).game(&game, &role("spain")).expect("secrets").values().clone()
    }

    fn vision(&self, exchange: &Exchange) -> Vision {
        let file = self.home_of(&role("spain")).game(&self.records()[0].id(), &role("spain")).expect("secrets");
        let mut vision = vision(&self.values(), exchange);
        vision.add_salts(&role("spain"), file.secret().hide());
        vision
    }
}

type Verdict = Option<(usize, &'static str, Option<Role>)>;

fn judged(records: &[Record]) -> Verdict {
    let found = check(records, &Vision::public()).divergence?;
    Some((found.seq as usize, found.finding.code.as_str(), found.finding.fault))
}

fn has(record: &Record, pointer: &str) -> bool {
    record.body().data.pointer(pointer).is_some()
}

fn opens_a_unit(record: &Record) -> Option<usize> {
    if record.body().kind != Kind::Result {
        return None;
    }
    let reveals = record.body().data.get("reveals").and_then(Json::as_list)?;
    reveals.iter().position(|reveal| reveal.get("slot").and_then(Json::as_str).is_some_and(is_counter))
}

#[test]
fn a_unit_is_opened_as_it_was_sealed_or_the_spanish_player_is_named_at_once() {
    let bench = Bench::until("openings", |records| records.iter().any(|record| opens_a_unit(record).is_some()));
    let at = bench.records().iter().position(|record| opens_a_unit(record).is_some()).expect("an opening");
    let which = opens_a_unit(&bench.records()[at]).expect("an opening");
    let spain = Some(role("spain"));
    let true_unit = bench.records()[at].body().data.pointer(&format!("/reveals/{which}/value")).cloned();
    let other = LINE[0].iter().map(|unit| Json::from(*unit)).find(|unit| Some(unit) != true_unit.as_ref());
    let other = other.expect("another unit");
    let put = |name: &str, value: Json| {
        let pointer = format!("/reveals/{which}/{name}");
        move |body: &mut Body| *body.data.pointer_mut(&pointer).expect("it") = value
    };
    assert_eq!(judged(&bench.forged(at, put("value", other))), Some((at, "E50-REVEAL", spain.clone())));
    let zeros = Json::from("0".repeat(64));
    assert_eq!(judged(&bench.forged(at, put("salt", zeros))), Some((at, "E50-REVEAL", spain.clone())));
    let missing = bench.forged(at, |body| {
        let Some(Json::List(reveals)) = body.data.pointer_mut("/reveals") else { panic!("a list") };
        reveals.remove(which);
    });
    assert_eq!(judged(&missing), Some((at, "E51-REVEAL", spain)));
    // The US player's program says so before it takes the mail, and its ledger stays as it was.
    let us = role("us");
    let mut ledger = Ledger::replay(missing[..at].to_vec(), lay, Vision::of(&bench.copy_of(&missing[0].id(), &us)))
        .expect("good so far");
    assert!(ledger.append(missing[at].clone()).is_err());
    assert_eq!(ledger.records().len(), at);
}

#[test]
fn a_claim_that_is_left_out_is_missed_at_once_and_a_false_one_is_found_by_the_audit() {
    let stated = |record: &Record| {
        let claims = record.body().data.get("claims").and_then(Json::as_list).unwrap_or_default();
        let about_units = |claim: &&Json| {
            let key = claim.get("claim").and_then(Json::as_str).unwrap_or_default();
            ["/zone/", "/battery/", "/supply/"].iter().any(|what| key.contains(what))
        };
        record.body().kind == Kind::Result && claims.iter().any(|claim| about_units(&claim))
    };
    for seed in (1..12).map(|number| format!("claims {number}")) {
        let bench = Bench::until(&seed, |records| records.iter().any(stated));
        let at = bench.records().iter().position(stated).expect("a claim");
        let spain = Some(role("spain"));
        assert!(has(&bench.records()[at], "/claims/0"));
        let missing = bench.forged(at, |body| drop(body.data.as_map_mut().expect("an object").remove("claims")));
        assert_eq!(judged(&missing), Some((at, "E51-REVEAL", spain.clone())));
        // A Spanish player whose program believes that batteries are battalions and the other way round.
        let honest = bench.records()[at].body().data.get("claims").cloned();
        for battery in BATTERIES {
            for battalion in LINE[0] {
                let names = [(battery, *battalion), (*battalion, battery)];
                let exchange: Exchange =
                    names.iter().map(|(one, two)| ((*one).to_owned(), (*two).to_owned())).collect();
                let believed = bench.vision(&exchange);
                // What was opened before cannot be denied; such a lie is no use.
                let Ok(mut liar) = Ledger::replay(bench.records()[..at].to_vec(), lay, believed.clone()) else {
                    continue;
                };
                let game = bench.records()[0].id();
                let mut file = bench.copy_of(&game, &role("spain"));
                let key = bench.home_of(&role("spain")).identity().expect("a key");
                let Ok(record) = liar.close(&mut Pen { key: &key, file: &mut file }) else { continue };
                if record.body().data.get("claims").cloned() == honest {
                    continue;
                }
                let mut records = bench.records()[..at].to_vec();
                records.push(record);
                assert_eq!(judged(&records), None, "nobody can know it yet");
                let ended = bench.finish(records, &believed, file.values());
                let found = check(&ended, &Vision::public());
                assert_eq!(found.level, Level::Audit, "{}", found.report(""));
                assert_eq!(found.exit_code(), 1);
                let verdict = found
                    .divergence
                    .as_ref()
                    .map(|d| (d.seq as usize, d.finding.code.as_str(), d.finding.fault.clone()));
                assert_eq!(verdict, Some((at, "E60-AUDIT", spain.clone())), "{}", found.report(""));
                return;
            }
        }
    }
    panic!("no lie was tried");
}

/// A private game master and two players who sign, each with a folder of secrets.
struct Club {
    homes: Vec<tempfile::TempDir>,
    gm: Seat,
    players: Vec<Seat>,
}

impl Club {
    fn meet() -> Club {
        let homes: Vec<tempfile::TempDir> = (0..3).map(|_| tempfile::tempdir().expect("a folder")).collect();
        let names = vec![role("spain"), role("us")];
        let terms = players::terms(&Charter::default(), true, Some(1));
        let mut gm = Seat::host_privately(table(), names, terms, &home(&homes[0])).expect("begun");
        let mut players = Vec::new();
        for folder in &homes[1..] {
            let sent = gm.ledger().records().iter().map(mailed).collect();
            let seat = Seat::join(sent, None, &lay, &home(folder)).expect("joined");
            assert_eq!(gm.receive(vec![mailed(&seat.outgoing()[0])]).refused, []);
            players.push(seat);
        }
        let mut club = Club { homes, gm, players };
        club.send_out();
        club
    }

    /// Every record goes to everybody; openings went to the game master alone.
    fn send_out(&mut self) {
        let records: Vec<Record> = self.gm.ledger().records().iter().map(mailed).collect();
        for player in &mut self.players {
            let received = player.receive(records.clone());
            assert_eq!((received.refused, received.early), (vec![], vec![]));
        }
    }

    fn play(&mut self, most: usize, chance: &mut Chance) {
        while self.gm.ledger().records().len() < most {
            let Some(who) = self.gm.ledger().awaited().who().cloned() else { break };
            let at = self.players.iter().position(|player| *player.role() == who).expect("a player");
            let player = &mut self.players[at];
            match player.to_decide() {
                Some(side) => {
                    let said = players::at_random(player.ledger(), side, chance);
                    player.send(&said).expect("sent");
                }
                None => drop(player.advance().expect("the audit")),
            }
            let sent: Vec<Record> = player.outgoing().iter().map(mailed).collect();
            let openings = player.openings(&sent);
            assert_eq!(self.gm.receive(sent).refused, []);
            if !openings.is_empty() {
                assert_eq!(self.gm.lacking(), std::slice::from_ref(&who));
                assert_eq!(self.gm.advance().expect("nothing can be closed yet"), []);
                let given =
                    Openings { game: self.gm.ledger().walk().game().expect("a game"), by: who, reveals: openings };
                let found = records_in("mail", given.armoured().as_bytes()).openings.remove(0);
                self.gm.entrust(&found.by, found.reveals).expect("each fits");
            }
            self.gm.advance().expect("closed");
            self.send_out();
        }
    }
}

#[test]
fn a_private_game_master_lets_the_us_player_see_no_more_than_was_shown() {
    // The first of some games in which something is opened within a few turns.
    let begun = |seed: u32| {
        let (mut club, mut chance) = (Club::meet(), Chance::new(&format!("club {seed}")));
        club.play(20, &mut chance);
        let shown = opened(club.gm.ledger().records());
        let over = club.gm.ledger().records().iter().any(|record| record.body().kind == Kind::Audit);
        (!over && (1..12).contains(&shown.len())).then_some((club, chance))
    };
    let (mut club, mut chance) = (1..20).find_map(begun).expect("such a game");
    let records = club.gm.ledger().records().to_vec();
    let game = records[0].id();
    let own = home(&club.homes[1]).game(&game, &role("spain")).expect("secrets").values().clone();
    let shown = opened(&records);
    assert!(!shown.is_empty(), "something was opened in battle");
    let hidden: BTreeSet<&str> = own
        .iter()
        .filter(|(name, _)| name.rsplit_once('/').is_some_and(|(slot, _)| is_counter(slot)))
        .filter_map(|(_, value)| value.as_str())
        .filter(|unit| !shown.contains(*unit))
        .collect();
    assert!(hidden.len() > 10, "{} of {} units are hidden", hidden.len(), own.len());
    for record in records.iter().filter(|record| record.body().kind != Kind::Audit) {
        let text = record.to_yaml();
        assert!(hidden.iter().all(|unit| !names(&text, unit)), "{}", record.file_name());
    }
    let us = club.players.iter().find(|player| *player.role() == role("us")).expect("a seat");
    assert!(us.ledger().holdings().0.values().all(|value| value.as_str().is_none_or(|unit| !hidden.contains(unit))));
    // The report the game master mails to the US player, and what he himself reads.
    for (side, told) in [(US, false), (SPAIN, true)] {
        let (referee, holdings) = (club.gm.ledger().referee(), club.gm.ledger().holdings_of(side));
        let (journal, _) = referee.journal().expect("something happened");
        let view = View { state: referee.state(), holdings: &holdings, side: Some(side) };
        let (table, stop) = (referee.table(), referee.stop());
        let report = TurnReport { table, headline: String::new(), lead: vec![], view, journal, told: 0, stop };
        let text = markdown(&report.page());
        assert_eq!(hidden.iter().any(|unit| names(&text, unit)), told, "{side}");
    }
    // Everybody can replay every result at once, from what was opened and stated in it, and the audits prove the rest.
    club.play(400, &mut chance);
    let records = club.gm.ledger().records().to_vec();
    let played = records.iter().position(|record| record.body().kind == Kind::Audit).expect("the game is over");
    let found = check(&records[..played], &Vision::public());
    assert_eq!((found.exit_code(), found.level), (3, Level::Rules), "{}", found.report(""));
    let found = check(&records, &Vision::public());
    assert_eq!((found.exit_code(), found.level), (0, Level::Audit), "{}", found.report(""));
}

/// What the verifier without garcia says of a ledger; nothing if there is no Python here.
fn in_python(records: &[Record]) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let held = Lock::take(folder.path()).expect("free");
    for record in records {
        LedgerFolder::of_game(folder.path()).add(record, &held).expect("written");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/verify.py");
    let output = Command::new("python3").arg("-B").arg(script).arg(folder.path()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_private_game_master_shows_what_he_was_given_or_is_named() {
    let (mut club, mut chance) = (Club::meet(), Chance::new("club"));
    for most in (12..200).step_by(4) {
        if club.gm.ledger().records().iter().any(|record| opens_a_unit(record).is_some()) {
            break;
        }
        club.play(most, &mut chance);
    }
    let records = club.gm.ledger().records().to_vec();
    let at = records.iter().position(|record| opens_a_unit(record).is_some()).expect("an opening");
    let which = opens_a_unit(&records[at]).expect("an opening");
    let forged = |change: &dyn Fn(&mut Json)| {
        let mut body = records[at].body().clone();
        change(body.data.pointer_mut("/reveals").expect("openings"));
        let mut all = records[..at].to_vec();
        all.push(Record::sign(body, &home(&club.homes[0]).identity().expect("a key")).expect("signed"));
        judged(&all)
    };
    if let Some(text) = in_python(&records) {
        assert!(text.contains("links good"), "{text}");
        assert!(!text.contains("DIVERGENCE"), "{text}");
    }
    let gm = Some(Role::gm());
    let lie = |reveals: &mut Json| *reveals.pointer_mut(&format!("/{which}/value")).expect("it") = "sp-cat".into();
    assert_eq!(forged(&lie), Some((at, "E50-REVEAL", gm.clone())));
    let silence = |reveals: &mut Json| {
        if let Json::List(items) = reveals {
            items.remove(which);
        }
    };
    assert_eq!(forged(&silence), Some((at, "E51-REVEAL", gm)));
    // Openings that do not fit are not taken, and their sender is named.
    let spain = &club.players[0];
    let mut wrong = spain.openings(spain.ledger().records());
    wrong[0].value = "sp-cat".into();
    wrong[1].value = "sp-cat".into();
    let refused = club.gm.entrust(&role("spain"), wrong).expect_err("refused").to_string();
    assert!(refused.contains("does not fit"), "{refused}");
}

/// The ledger up to a record in which the Spanish player commits one counter to another unit, played to its audits.
fn with_another_unit(bench: &Bench, at: usize, hide: usize, unit: &str) -> Verdict {
    let spain = role("spain");
    let (records, pointer) = (bench.records(), format!("/hide/{hide}"));
    let sealed = records[at].body().data.pointer(&pointer).expect("a commitment").clone();
    let slot = Slot::parse(sealed.get("slot").and_then(Json::as_str).expect("a slot")).expect("a slot");
    let version = sealed.get("version").and_then(Json::as_int).expect("a version") as u32;
    let (game, value) = (records[0].id(), Json::from(unit));
    let salt = bench.copy_of(&game, &spain).secret().hide().salt(&slot, version);
    let commit = commitment(&game, &spain, &slot, version, &salt, &value);
    let forged = bench.forged(at, |body| {
        *body.data.pointer_mut(&format!("{pointer}/commit")).expect("it") = commit.to_string().into();
    });
    assert_eq!(judged(&forged), None, "a commitment tells nothing");
    // His own program would stop him at once; one that looks at nothing does not.
    let mut believed = Vision::public();
    believed.add_salts(&spain, bench.copy_of(&game, &spain).secret().hide());
    let ended = bench.finish(forged, &believed, &[(format!("{slot}/{version}"), value)].into());
    let found = check(&ended, &Vision::public());
    assert_eq!(found.level, Level::Audit, "{}", found.report(""));
    judged(&ended)
}

#[test]
fn a_strong_battalion_in_two_places_at_once_is_found_by_the_audit() {
    let bench = Bench::until("twice", |records| records.len() > 3);
    let at = bench.records().iter().position(|record| record.body().by == role("spain") && has(record, "/hide/20"));
    let at = at.expect("the set-up");
    let hides = bench.records()[at].body().data.get("hide").and_then(Json::as_list).expect("commitments");
    let guerrillas = bench.values().into_iter().find(|(_, value)| *value == Json::from("sp-1-tg")).expect("a unit").0;
    let slot = guerrillas.rsplit_once('/').expect("a version").0;
    let hide = hides.iter().position(|hide| hide.get("slot").and_then(Json::as_str) == Some(slot)).expect("its seal");
    assert_eq!(with_another_unit(&bench, at, hide, "sp-1-65"), Some((at, "E60-AUDIT", Some(role("spain")))));
}

#[test]
fn a_counter_exchanged_for_one_from_elsewhere_when_it_is_sealed_anew_is_found_by_the_audit() {
    let anew = |record: &Record| {
        let hides = record.body().data.get("hide").and_then(Json::as_list)?;
        hides.iter().position(|hide| {
            let again = hide.get("version").and_then(Json::as_int).is_some_and(|version| version > 1);
            again && hide.get("slot").and_then(Json::as_str).is_some_and(is_counter)
        })
    };
    let bench = Bench::until("exchanged", |records| records.iter().any(|record| anew(record).is_some()));
    let at = bench.records().iter().position(|record| anew(record).is_some()).expect("a counter sealed anew");
    let hide = anew(&bench.records()[at]).expect("it");
    assert_eq!(with_another_unit(&bench, at, hide, "sp-1-64"), Some((at, "E60-AUDIT", Some(role("spain")))));
}
