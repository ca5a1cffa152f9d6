//! What is tried: everything that reads what somebody else wrote.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use garcia::cases;
use garcia::engine::doc::{Fault, Source, read_document};
use garcia::engine::submission::{Due, Shut, Submission, template};
use garcia::engine::{Charter, Holdings, Json, Match, Query, Questions, Ruleset, Side, Slot, View};
use garcia::games::{self, GAMES};
use garcia::mail::{Openings, plain_text, records_in};
use garcia::report::faults::{Look, entries, render};
use garcia::trust::data::{Genesis, Reveal};
use garcia::trust::director::Deposit;
use garcia::trust::finding::{Code, Finding};
use garcia::trust::key::PrivateKey;
use garcia::trust::ledger::{Ledger, charter};
use garcia::trust::paper::{Kind, Paper};
use garcia::trust::record::Record;
use garcia::trust::replay::Vision;
use garcia::trust::role::Role;
use garcia::trust::store::{LedgerFile, LedgerFiles};
use garcia::trust::{Id, armour, verify};

/// Something that reads.
pub struct Target {
    /// What to call it.
    pub name: &'static str,
    /// What it reads when all is well.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Reads; whether the input was accepted, or what must not be.
    pub attempt: fn(&[u8]) -> Result<bool, String>,
}

/// All of them.
pub const TARGETS: &[Target] = &[
    Target { name: "orders", seeds: order_files, attempt: orders },
    Target { name: "records", seeds: records, attempt: record },
    Target { name: "ledgers", seeds: records, attempt: ledger },
    Target { name: "mails", seeds: mails, attempt: mail },
    Target { name: "armour", seeds: armoured, attempt: unwrapped },
    Target { name: "cases", seeds: case_files, attempt: case },
    Target { name: "data", seeds: data_files, attempt: data },
    Target { name: "questions", seeds: names, attempt: question },
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of a folder of the project, by name.
fn files(folder: impl AsRef<Path>, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).into_iter().flatten().filter_map(Result::ok);
    let named = |path: &PathBuf| path.to_string_lossy().ends_with(ending);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(named).collect();
    paths.sort();
    paths
}

fn read(paths: Vec<PathBuf>) -> Vec<Vec<u8>> {
    paths.iter().map(|path| fs::read(path).expect("a file of the project")).collect()
}

/// The ledger a player of an example holds.
fn example(game: &str) -> Vec<Record> {
    let texts = read(files(format!("examples/{game}/us/ledger"), ".yaml"));
    texts.iter().map(|text| Record::read(text).expect("a record of an example")).collect()
}

/// A position in which a packet is due.
struct Moment {
    ledger: Ledger,
    side: Side,
    holdings: Holdings,
}

impl Moment {
    fn due<T>(&self, then: impl FnOnce(&Due<'_>) -> T) -> T {
        let replay = self.ledger.replay();
        let view = View { state: replay.state(), holdings: &self.holdings, side: Some(self.side) };
        let standing = BTreeMap::new();
        then(&Due {
            table: replay.table(),
            game_id: None,
            view,
            stop: replay.stop(),
            questions: Questions::default(),
            standing: &standing,
            shut: Shut::default(),
            try_out: None,
        })
    }
}

fn lay(genesis: &Genesis) -> Result<Box<dyn Match>, Finding> {
    let unknown = |what: String| Finding::new(Code::Engine, what);
    let ruleset = games::find(&genesis.ruleset).ok_or_else(|| unknown("not known".to_owned()))?;
    ruleset.open(&charter(genesis, BTreeMap::new())).map_err(|faults| unknown(format!("{faults:?}")))
}

/// Some positions of every game: early, in the middle and late in its example.
fn moments() -> &'static [Moment] {
    static MOMENTS: OnceLock<Vec<Moment>> = OnceLock::new();
    MOMENTS.get_or_init(|| GAMES.iter().flat_map(|game| moments_of(*game)).collect())
}

fn moments_of(game: &dyn Ruleset) -> Vec<Moment> {
    let records = example(game.id());
    let mut found: Vec<Moment> = Vec::new();
    for part in [2, 8, records.len() / 2, records.len() * 3 / 4] {
        // The next place from here on at which somebody has to give orders.
        let at = (part..part + 8).find_map(|count| {
            let upto = records.get(..count)?.to_vec();
            let ledger = Ledger::read(upto, lay, Vision::public()).ok()?;
            let side = ledger.to_speak()?;
            let holdings = ledger.holdings_of(side);
            Some(Moment { ledger, side, holdings })
        });
        found.extend(at);
    }
    found
}

fn order_files() -> Vec<Vec<u8>> {
    let written = moments().iter().map(|moment| moment.due(|due| template(due, "orders.schema.json")).into_bytes());
    // The same with nothing commented out: every proposal of the template as an order.
    let said = |text: &Vec<u8>| String::from_utf8_lossy(text).replace("# - ", "- ").replace("  # ", "  ").into_bytes();
    let written: Vec<Vec<u8>> = written.collect();
    let said: Vec<Vec<u8>> = written.iter().map(said).collect();
    written.into_iter().chain(said).collect()
}

/// Every fault has words and a place within the text, and can be shown without a control character.
fn shown_well(source: &Source, faults: &[Fault]) -> Result<(), String> {
    for fault in faults {
        let place = fault.place.unwrap_or_else(|| source.place(&fault.at));
        if !(1..=source.line_count()).contains(&place.line) {
            return Err(format!("a fault at line {} of {}", place.line, source.line_count()));
        }
        if fault.what.is_empty() || fault.remedy.is_empty() {
            return Err(format!("a fault without words at {}", fault.at));
        }
    }
    let shown = render(faults, source, Look::PLAIN);
    let hidden = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
    if shown.contains(hidden) {
        return Err("a control character reaches the terminal".to_owned());
    }
    if faults.is_empty() != entries(faults, source).is_empty() {
        return Err("faults that are not told".to_owned());
    }
    Ok(())
}

/// An order file, read in every position: what is accepted is read back the same from what would be signed.
fn orders(bytes: &[u8]) -> Result<bool, String> {
    let (node, source) = match read_document("orders.yaml", &plain_text(bytes)) {
        Ok(read) => read,
        Err(bad) => return shown_well(&bad.source, &bad.faults).map(|()| false),
    };
    let mut taken = false;
    for moment in moments() {
        let checked = moment.due(|due| Submission::check(&node, due));
        shown_well(&source, &checked.faults)?;
        if checked.submission.is_none() && !checked.faults.iter().any(|fault| !fault.warning) {
            return Err("refused without a fault".to_owned());
        }
        taken |= checked.submission.is_some();
    }
    Ok(taken)
}

fn records() -> Vec<Vec<u8>> {
    GAMES.iter().flat_map(|game| read(files(format!("examples/{}/us/ledger", game.id()), ".yaml"))).collect()
}

/// A record that is read is written as it was read.
fn record(bytes: &[u8]) -> Result<bool, String> {
    let Ok(record) = Record::read(bytes) else { return Ok(false) };
    match Record::read(record.to_yaml().as_bytes()) {
        Ok(again) if again == record => Ok(true),
        _ => Err("a record that is not read back".to_owned()),
    }
}

/// A strange record in the place of the one it claims, in a ledger that is well otherwise: nobody else is blamed for it.
fn ledger(bytes: &[u8]) -> Result<bool, String> {
    static GOOD: OnceLock<Vec<Record>> = OnceLock::new();
    let good = GOOD.get_or_init(|| example("santiago-1898").into_iter().take(12).collect());
    let strange = Record::read(bytes);
    let seq = strange.as_ref().map_or(5, |record| record.body().seq.min(11));
    let file = |(at, record): (usize, &Record)| LedgerFile {
        name: record.file_name(),
        seq: u32::try_from(at).unwrap_or(u32::MAX),
        record: Ok(record.clone()),
    };
    let mut files: Vec<LedgerFile> = good.iter().enumerate().map(file).collect();
    let place = usize::try_from(seq).unwrap_or(0);
    let same = strange.as_ref() == Ok(&good[place]);
    files[place].record = strange;
    let records_alone = |_: &Genesis| Err(Finding::new(Code::Engine, "records and dice alone"));
    let found = verify::verify(&LedgerFiles { files, problems: Vec::new() }, &records_alone, &Vision::public());
    match (same, found.divergence) {
        (true, None) => Ok(true),
        (true, Some(found)) => Err(format!("a good ledger diverges: {}", found.finding)),
        (false, Some(_)) => Ok(false),
        (false, None) => Err("another record passes in the place of the signed one".to_owned()),
    }
}

fn mails() -> Vec<Vec<u8>> {
    let mails =
        GAMES.iter().flat_map(|game| files(format!("examples/{}/mails", game.id()), ".eml").into_iter().take(3));
    read(mails.chain(files("tests/mail", ".eml")).chain(files("tests/mail", ".txt")).collect())
}

fn mail(bytes: &[u8]) -> Result<bool, String> {
    let found = records_in("mail.eml", bytes);
    let hidden = |c: char| c.is_control() && c != '\n';
    match found.troubles.iter().find(|trouble| trouble.contains(hidden)) {
        Some(trouble) => Err(format!("a control character reaches the terminal: {trouble:?}")),
        None => Ok(!found.records.is_empty()),
    }
}

/// Papers, deposits and openings, each in its armour and as it stands inside: mangled armour seldom opens.
fn armoured() -> Vec<Vec<u8>> {
    let (key, by): (_, Role) = (PrivateKey::from_seed(&[7; 32]), "us".parse().expect("a role"));
    let kinds = [
        Kind::Receipt { record: Id::ZERO },
        Kind::Object { record: Id::ZERO, note: "the column had no supply".to_owned() },
        Kind::Notice { record: Id::ZERO, owes: by.clone(), what: "result".to_owned() },
        Kind::Deposited { role: by.clone(), index: 4, count: 2 },
    ];
    let papers = kinds.map(|kind| Paper::sign(&by, Id::ZERO, kind, &key));
    let slot = Slot::standing("retreat");
    let reveal = Reveal { slot, version: 1, salt: Id::ZERO, value: Json::from("default"), by: None };
    let reveals = vec![reveal.clone(), reveal];
    let deposit = Deposit { game: Id::ZERO, role: by.clone(), index: 4, link: Id::ZERO, reveals: reveals.clone() };
    let openings = Openings { game: Id::ZERO, by, reveals }.armoured();
    let deposit = deposit.to_json().to_string();
    let mut seeds = vec![armour::wrap_deposit(deposit.as_bytes()), deposit, openings.clone()];
    seeds.extend(papers.iter().flat_map(|paper| [paper.armoured(), paper.to_yaml(), paper.to_json().to_string()]));
    let inside = armour::unwrap_openings(&openings).into_iter().flatten();
    seeds.into_iter().map(String::into_bytes).chain(inside).collect()
}

/// Armour of every kind, and what stands inside it.
fn unwrapped(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    let papers = armour::unwrap_papers(&text).into_iter().flatten().filter(|inner| Paper::read(inner).is_ok()).count();
    let deposits =
        armour::unwrap_deposits(&text).into_iter().flatten().filter_map(|inner| Deposit::read(&inner)).count();
    let openings =
        armour::unwrap_openings(&text).into_iter().flatten().filter_map(|inner| Openings::read(&inner)).count();
    let records = armour::unwrap(&text).into_iter().flatten().filter(|inner| Record::read(inner).is_ok()).count();
    // Without armour as well.
    let bare = Paper::read(bytes).is_ok() || Deposit::read(bytes).is_some() || Openings::read(bytes).is_some();
    Ok(bare || papers + deposits + openings + records > 0)
}

fn case_files() -> Vec<Vec<u8>> {
    let chapters = |game: &&'static dyn Ruleset| {
        let folder = format!("tests/conformance/{}", game.id());
        files(folder, ".yaml")
            .into_iter()
            .filter(|path| fs::metadata(path).is_ok_and(|about| about.len() < 20_000))
            .take(3)
    };
    read(GAMES.iter().flat_map(chapters).collect())
}

fn case(bytes: &[u8]) -> Result<bool, String> {
    let (file, _) = match cases::read_file("cases.yaml", bytes) {
        Ok(read) => read,
        Err(bad) => return shown_well(&bad.source, &bad.faults).map(|()| false),
    };
    let Some(ruleset) = games::find(&file.game) else { return Ok(false) };
    for case in file.cases.iter().take(2) {
        cases::run_case(ruleset, case);
    }
    Ok(true)
}

/// A file of game data: the first line says of which game, and under which name.
fn data_files() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for game in GAMES {
        let folder = root().join("src/games").join(game.id().replace('-', "_")).join("data");
        for path in files(folder, ".yaml") {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let text = fs::read_to_string(&path).expect("a file of the project");
            seeds.push(format!("{} {name}\n{text}", game.id()).into_bytes());
        }
    }
    seeds
}

fn data(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, text)) = text.split_once('\n') else { return Ok(false) };
    let Some((game, name)) = head.split_once(' ') else { return Ok(false) };
    let Some(ruleset) = games::find(game) else { return Ok(false) };
    let own = BTreeMap::from([(name.to_owned(), text.to_owned())]);
    match ruleset.open(&Charter { data: own, ..Charter::default() }) {
        Ok(_) => Ok(true),
        Err(faults) if faults.iter().all(|fault| !fault.what.is_empty()) => Ok(false),
        Err(_) => Err("a fault without words".to_owned()),
    }
}

/// What is typed behind `reach`, `supply` and `los`.
fn names() -> Vec<Vec<u8>> {
    [
        "us-inf-9 0816",
        "9 El Caney",
        "16 inf San Juan",
        "sp-c1 1208",
        "wheeler Siboney",
        "2 cav 0717",
        "gatling Las Guasimas",
    ]
    .map(|text| text.as_bytes().to_vec())
    .into()
}

fn question(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    let (unit, place) = text.split_once(' ').unwrap_or((&text, ""));
    let queries = [
        Query::Reach { unit: unit.to_owned() },
        Query::Supply { unit: Some(unit.to_owned()) },
        Query::Sight { from: place.to_owned(), to: unit.to_owned() },
    ];
    let mut taken = false;
    for moment in moments() {
        for query in &queries {
            match moment.due(|due| due.table.query(due.view, query)) {
                Ok(_) => taken = true,
                Err(faults) if faults.is_empty() => return Err("refused without a reason".to_owned()),
                Err(_) => {}
            }
        }
    }
    Ok(taken)
}
