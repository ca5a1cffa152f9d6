//! `garcia dispute`: everything about one record that an arbiter needs, on one page.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::engine::dice::{Seed, faces};
use crate::engine::visible::visible;
use crate::engine::{Diary, Json, count_of};
use crate::report::{Page, Told, html, markdown, terminal};
use crate::trust::Id;
use crate::trust::compare::{Comparison, Copy, compare};
use crate::trust::data::{Data, Genesis, RollSaid};
use crate::trust::finding::{Code, dice_words};
use crate::trust::many::verify_folder;
use crate::trust::record::{Record, RecordKind};
use crate::trust::replay::Vision;
use crate::trust::store::{LedgerFolder, Readers, write_whole};
use crate::trust::verify::{Verification, copy_of};

use super::folder::{find, lay, spelled};
use super::report::Form;
use super::sight::{Eyes, Sight, own_vision};
use super::{Done, Trouble, World, remedies};

/// Gather what an arbiter needs to settle a dispute about one record, on one page.
///
/// Who signed it and with which key, what it says, the orders and the result they belong to, every die with its
/// recomputation, what happened with the clause beside it, and whether the ledger is good. With a second copy of the
/// ledger: whether both hold the same record, and if not, who signed what.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia dispute 7                      the dice of record 7 are doubted
  garcia dispute 6 ../spain             somebody says that he sent other orders
  garcia dispute 7 --public --form html --output dispute.html     to hand round
  garcia dispute 7 --json               {\"record\", \"orders\", \"dice\", \"other\", \"verification\", …}

It says what was signed, what follows from it and what may be done. It changes nothing.")]
pub struct Dispute {
    /// The number of the record.
    record: u32,
    /// Another copy of the ledger: a game folder, or the records themselves.
    other: Option<PathBuf>,
    /// As everybody sees it: nothing that only you know, to hand the page round.
    #[arg(long)]
    public: bool,
    /// In which form.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    form: Form,
    /// Write it into a file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// One die roll of a result, recomputed.
struct Recomputed {
    label: String,
    dice: String,
    recorded: Vec<u16>,
    fallen: Vec<u16>,
}

impl Dispute {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let folder = find(world)?;
        let copy = read(&folder)?;
        let Some(record) = copy.get(&self.record) else {
            let last = copy.keys().next_back().copied().unwrap_or(0);
            let what = format!("there is no readable record {} in this ledger", self.record);
            return Err(Trouble::usage(
                what,
                format!("it ends with record {last}; `garcia verify` says what is missing"),
            ));
        };
        let eyes = |game: &Id| own_vision(world, game).filter(|_| !self.public);
        let see = |game: &Id| eyes(game).map_or_else(Vision::public, |eyes| eyes.vision);
        let table = |folder: &Path, genesis: &Genesis| lay(folder, genesis);
        let verification = verify_folder(&folder, &table, &see)?;
        let orders = orders_of(&copy, record);
        let result = result_of(&copy, record);
        let dice = result.map(recomputed).unwrap_or_default();
        let mut page = Page::new(format!("Record {}: {} of {}", self.record, record.body().kind, record.body().by));
        page.section("Who signed it", signed(&copy, record));
        if let Some(orders) = orders {
            let mut ordered = said(orders);
            if let Some(file) = remedies::file_of(&folder, orders) {
                ordered.line(file, &[]);
            }
            page.section(format!("What was ordered, in record {}", orders.body().seq), ordered);
        }
        page.section("The dice, recomputed", told(&dice, result));
        let happened = result.and_then(|result| report(&folder, &copy, result, &eyes));
        page.sections.extend(happened.into_iter().flat_map(|told| told.sections));
        let (other, parted) = match &self.other {
            None => (None, None),
            Some(path) => {
                let theirs = read(path)?;
                let (diary, value) = held_against(&copy, &theirs, self.record, path, &folder);
                page.section(format!("The copy in {}", visible(&path.display().to_string())), diary);
                (Some(value.0), value.1)
            }
        };
        page.section("What follows", follows(&verification, self.record, parted.as_deref()));
        let whole: Vec<Record> = copy.values().cloned().collect();
        let eyes = whole.first().and_then(|genesis| eyes(&genesis.id()));
        if let Ok(sight) = Sight::seen(folder.clone(), whole, eyes) {
            page.section("What may be done", remedies::diary(&sight.ledger, self.record));
        }
        if world.json {
            let dice: Vec<_> = dice
                .iter()
                .map(|die| {
                    json!({ "label": die.label, "dice": die.dice, "recorded": die.recorded, "recomputed": die.fallen })
                })
                .collect();
            return Done::json(&json!({
                "record": self.record,
                "kind": record.body().kind.as_str(),
                "by": record.body().by.as_str(),
                "id": record.id(),
                "orders": orders.map(|orders| json!({ "record": orders.body().seq, "data": orders.body().data })),
                "result": result.map(|result| result.body().seq),
                "dice": dice,
                "other": other,
                "verification": verification.to_json(),
                "page": page,
            }));
        }
        let text = match self.form {
            Form::Text => terminal(&page, world.look),
            Form::Markdown => markdown(&page),
            Form::Html => html(&page.title.clone(), &[Told::plain(page)]),
        };
        match self.output {
            None => Ok(Done::good(text)),
            Some(path) => {
                write_whole(&path, text.as_bytes(), Readers::Anyone)?;
                Ok(Done::good(format!("{} is written.\n", path.display())))
            }
        }
    }
}

fn read(folder: &Path) -> Result<Copy, Trouble> {
    let (ledger, game) = LedgerFolder::find(folder);
    let found =
        ledger.read().map_err(|trouble| Trouble::usage(trouble.to_string(), "name a game folder or its `ledger`"))?;
    Ok(copy_of(&found, &|genesis| lay(&game, genesis)).0)
}

/// The orders a record belongs to: itself, or those before a result. After a call it is the plan that says something.
fn orders_of<'a>(copy: &'a Copy, record: &'a Record) -> Option<&'a Record> {
    let mut at = record;
    loop {
        let data = &at.body().data;
        let call = data.pointer("/orders/call").is_some();
        match at.body().kind {
            RecordKind::Plan => return Some(at),
            RecordKind::Orders if !call => return Some(at),
            RecordKind::Orders | RecordKind::Result => at = copy.get(&at.body().seq.checked_sub(1)?)?,
            _ => return None,
        }
    }
}

/// The result a record belongs to: itself, or the one that closed it.
fn result_of<'a>(copy: &'a Copy, record: &'a Record) -> Option<&'a Record> {
    match record.body().kind {
        RecordKind::Result => Some(record),
        RecordKind::Orders | RecordKind::Plan => {
            let later = copy.range(record.body().seq + 1..).take(2).map(|(_, later)| later);
            later.into_iter().find(|later| later.body().kind == RecordKind::Result)
        }
        _ => None,
    }
}

fn recomputed(result: &Record) -> Vec<Recomputed> {
    let Ok(Data::Closing(closing)) = Data::read(result.body()) else { return Vec::new() };
    let seed = Seed::of_segment(&closing.orders.to_string(), &closing.link.to_string());
    let rolls = closing.rolls.iter().filter_map(|roll| match roll {
        RollSaid::Open { label, sides, faces: recorded } => Some(Recomputed {
            label: label.to_string(),
            dice: dice_words(sides),
            recorded: recorded.clone(),
            fallen: faces(&seed, label.as_str(), sides),
        }),
        RollSaid::Secret { .. } => None,
    });
    rolls.collect()
}

fn signed(copy: &Copy, record: &Record) -> Diary {
    let mut diary = Diary::new();
    let by = &record.body().by;
    diary.line(format!("{}  id {}", record.file_name(), record.id()), &[]);
    // A role may have had several keys; its own record, or a motion for it, names each.
    let keys: Vec<crate::trust::Id> = copy
        .values()
        .filter_map(|other| {
            let named = other.body().data.get("role").and_then(Json::as_str) == Some(by.as_str());
            let key = other.body().data.get("key").filter(|_| named || other.body().by == *by)?;
            key.as_str()?.parse().ok()
        })
        .collect();
    let key = keys.iter().find(|key| record.is_signed_by(key)).or(keys.first()).copied();
    match key {
        Some(key) if record.is_signed_by(&key) => {
            diary.line(format!("Signed by {by} with the key {}, good.", spelled(&key)), &[]);
        }
        Some(key) => {
            let what =
                format!("It says that {by} signed it, but his key {} did not: damaged or forged.", spelled(&key));
            diary.line(what, &[]);
        }
        None => diary.line(format!("It says that {by} signed it, who has no key in this ledger."), &[]),
    }
    if let Some(gm) = record.body().data.get("for").and_then(Json::as_str) {
        diary.line(format!("Written for {gm} by {by}; its dice rest on his word."), &[]);
    }
    diary
}

/// What was signed, as YAML.
fn said(orders: &Record) -> Diary {
    let mut diary = Diary::new();
    let by = &orders.body().by;
    diary.line(format!("{}, signed by {by}: this, to the letter.", orders.file_name()), &[]);
    for name in ["orders", "policies", "standing", "answers", "claims"] {
        let Some(value) = orders.body().data.get(name) else { continue };
        let text = serde_yaml::to_string(&std::collections::BTreeMap::from([(name, value)])).unwrap_or_default();
        for line in text.lines() {
            diary.line(visible(line), &[]);
        }
    }
    diary
}

fn told(dice: &[Recomputed], result: Option<&Record>) -> Diary {
    let mut diary = Diary::new();
    let Some(result) = result else {
        diary.line("No result stands behind it: nothing was rolled.", &[]);
        return diary;
    };
    let seq = result.body().seq;
    for Recomputed { label, dice, recorded, fallen } in dice {
        let verdict = if recorded == fallen { "as recorded" } else { "NOT AS RECORDED" };
        diary.line(format!("{label}  {dice}  recorded {recorded:?}  recomputed {fallen:?}: {verdict}"), &[]);
    }
    match dice {
        [] => diary.line(format!("Record {seq} rolled no open dice."), &[]),
        [first, ..] => {
            let by_hand = format!("Each step by hand: garcia roll {} --record {seq}", first.label);
            diary.line(by_hand, &[]);
        }
    }
    diary
}

/// What happened, told as whoever asks may read it.
fn report(folder: &Path, copy: &Copy, result: &Record, eyes: &dyn Fn(&Id) -> Option<Eyes>) -> Option<Page> {
    let upto: Vec<Record> = copy.range(..=result.body().seq).map(|(_, record)| record.clone()).collect();
    let eyes = upto.first().and_then(|genesis| eyes(&genesis.id()));
    let sight = Sight::seen(folder.to_owned(), upto, eyes).ok()?;
    sight.turn_report().map(|report| report.page())
}

type Held = (serde_json::Value, Option<String>);

/// What another copy of the ledger holds at this place, and what the difference proves.
fn held_against(ours: &Copy, theirs: &Copy, seq: u32, path: &Path, folder: &Path) -> (Diary, Held) {
    let mut diary = Diary::new();
    let (mine, other) = (ours.get(&seq), theirs.get(&seq));
    let same = mine.map(Record::id) == other.map(Record::id);
    match other {
        Some(_) if same => diary.line(format!("It holds the same record {seq}: nobody was sent anything else."), &[]),
        Some(other) => {
            diary.line(format!("It holds another record {seq}: {}  id {}", other.file_name(), other.id()), &[]);
            for (name, value) in other.body().data.as_map().into_iter().flatten() {
                if mine.and_then(|mine| mine.body().data.get(name)) != Some(value) {
                    diary.line(format!("  {name} there: {}", visible(&shortened(value))), &[]);
                }
            }
        }
        None => diary.line(format!("It has no readable record {seq}."), &[]),
    }
    let finding = match compare(ours, theirs, &|genesis| lay(folder, genesis)) {
        Comparison::Parted { seq, finding, .. } => {
            let fault = finding.fault.as_ref().map_or("nobody".to_owned(), ToString::to_string);
            diary.line(format!("The two part at record {seq}: {finding}. Fault: {fault}."), &[]);
            Some((seq, finding))
        }
        Comparison::Longer { common, .. } => {
            diary.line(format!("The two agree in {}; one goes on.", count_of(common, "record")), &[]);
            None
        }
        Comparison::Same => {
            diary.line("The two are the same.", &[]);
            None
        }
    };
    let value = json!({
        "folder": path.display().to_string(),
        "same": same,
        "id": other.map(Record::id),
        "parted": finding.as_ref().map(|(seq, finding)| json!({
            "seq": seq, "code": finding.code.as_str(), "fault": finding.fault.as_ref().map(|role| role.as_str()),
            "what": finding.what,
        })),
    });
    let words = finding.map(|(seq, finding)| match (finding.code, finding.fault) {
        (Code::Fork, Some(fault)) => format!(
            "{fault} signed two records for place {seq}. The first one that was answered stands; keep both ledgers."
        ),
        (_, Some(fault)) => format!("The record of {fault} at place {seq} counts for nothing; the other stands."),
        (_, None) => format!("Why the two part at record {seq} is nobody's proven fault; ask for it again."),
    });
    (diary, (value, words))
}

fn shortened(value: &Json) -> String {
    let text = value.to_string();
    match text.char_indices().nth(160) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

fn follows(verification: &Verification, seq: u32, parted: Option<&str>) -> Diary {
    let mut diary = Diary::new();
    for line in verification.report("ledger/").lines() {
        diary.line(line.trim_end(), &[]);
    }
    if let Some(words) = parted {
        diary.line(words, &[]);
    }
    let words = match &verification.divergence {
        Some(found) if found.seq == seq && found.finding.fault.is_some() => {
            "This record is the first that is wrong; it counts for nothing, and whoever signed it owes a right one."
        }
        Some(found) if found.seq < seq => "Something is wrong before this record; settle that first.",
        _ if parted.is_some() => "",
        _ => "It follows from what was signed, by these rules and these dice. Only a motion can change it.",
    };
    if !words.is_empty() {
        diary.line(words, &[]);
    }
    diary
}
