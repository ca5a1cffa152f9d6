//! What verification lists without a verdict: motions, what they made void, and who agreed.

use super::data::{Data, RollSaid};
use super::motion::What;
use super::paper::{Kind, Paper};
use super::protocol::{Moved, Protocol};
use super::record::{Record, RecordKind};
use super::role::Role;
use crate::engine::visible::visible;

/// Motions and what became of them, a line each.
pub fn of_motions(protocol: &Protocol, records: &[(&str, &Record)]) -> Vec<String> {
    let motions = protocol.moved().iter().map(|moved| line(moved, records));
    let directed = protocol.directed().iter().map(|(seq, role)| {
        format!("W75-SEAT  record {seq}: the director closed for {role}, with the link {role} had deposited")
    });
    motions.chain(directed).collect()
}

/// The motions that were settled right before a record, a line each: what changed the position a turn began with.
pub fn before(protocol: &Protocol, records: &[Record], opened: u32) -> Vec<String> {
    let is_motion = |seq: u32| {
        let record = usize::try_from(seq).ok().and_then(|seq| records.get(seq));
        let kind = record.map(|record| &record.body().kind);
        matches!(kind, Some(RecordKind::Motion | RecordKind::Accept | RecordKind::Decline))
    };
    let first = (0..opened).rev().take_while(|seq| is_motion(*seq)).last().unwrap_or(opened);
    let named: Vec<(&str, &Record)> = records.iter().map(|record| ("", record)).collect();
    let settled = protocol.moved().iter().filter(|moved| (first..opened).contains(&moved.seq));
    settled.map(|moved| line(moved, &named)).collect()
}

/// What the players wrote to each other in some records: the side that wrote, and its words.
pub fn messages<'r>(records: impl IntoIterator<Item = &'r Record>) -> Vec<(Role, String)> {
    let message = |record: &Record| {
        let data = Data::read(record.body()).ok()?;
        let words = data.message()?.to_owned();
        let side = match &data {
            Data::Orders(orders) => orders.side.clone(),
            _ => None,
        };
        Some((side.unwrap_or_else(|| record.body().by.clone()), words))
    };
    records.into_iter().filter_map(message).collect()
}

/// What a paper says, in a line.
pub fn of_paper(paper: &Paper) -> String {
    let by = &paper.by;
    let short = |id: &super::bytes::Id| id.short();
    match &paper.kind {
        Kind::Notice { record, owes, what } => {
            format!("{by} gives notice: {owes} owes the {} after record {}", visible(what), short(record))
        }
        Kind::Object { record, note } => format!("{by} objects to record {}: {}", short(record), visible(note)),
        Kind::Receipt { record } => format!("{by} has record {}, and nothing else stood at its place", short(record)),
        Kind::Deposited { role, index, count } => {
            format!("{by} holds a deposit of {role}: links up to {index}, {count} openings")
        }
    }
}

/// `record 13, moved by us, accepted by spain in record 14`
fn agreed(moved: &Moved) -> String {
    let by = format!("record {}, moved by {}", moved.seq, moved.by);
    match (&moved.reply, &moved.asked) {
        (Some(reply), Some(_)) if reply.accepted => format!("{by}, accepted by {} in record {}", reply.by, reply.seq),
        (Some(reply), _) if !reply.accepted => format!("{by}, declined by {} in record {}", reply.by, reply.seq),
        (Some(_), _) => format!("{by}; no answer was due"),
        (None, _) => format!("{by}; not answered yet"),
    }
}

fn line(moved: &Moved, records: &[(&str, &Record)]) -> String {
    let (agreed, words) = (agreed(moved), visible(&moved.motion.words()));
    if !moved.in_force() {
        return format!("W77-PAPER  {agreed}: {words}");
    }
    if moved.motion.is_lost() {
        let debt =
            moved.debt.as_ref().map_or("nothing was owed".to_owned(), |(role, what)| format!("{role} owed: {what}"));
        let how = seat_taken(moved, records).map_or(String::new(), |how| format!("; {how}"));
        return format!("W71-LOST  {agreed}: {words}{how}. {debt}; its older seals are not audited");
    }
    match &moved.motion.what {
        What::Void { back_to } => format!("W72-VOID  {agreed}: back to record {back_to}. {}", known(moved, records)),
        What::Ruling(_) | What::Upgrade(_) => format!("W73-RULING  {agreed}: {words}"),
        What::Rekey(_) => {
            let how = seat_taken(moved, records).unwrap_or_default();
            format!("W75-SEAT  {agreed}: {words}; {how}")
        }
        What::Reanchor { .. } | What::End(_) => format!("{agreed}: {words}"),
    }
}

/// By which key or whose word a seat changed hands.
fn seat_taken(moved: &Moved, records: &[(&str, &Record)]) -> Option<String> {
    let What::Rekey(rekey) = &moved.motion.what else { return None };
    let signed = records.iter().find(|(_, record)| record.id() == moved.id).map(|(_, record)| *record);
    let old = moved.old_key.is_some_and(|key| signed.is_some_and(|record| record.is_signed_by(&key)));
    Some(match (moved.by == rekey.role, old) {
        (true, true) => "signed with the old key".to_owned(),
        (true, false) => "signed with the recovery key".to_owned(),
        (false, _) => format!("vouched for by {}; if {}'s key was not lost, he can show it", moved.by, rekey.role),
    })
}

/// What everybody knew when something was taken back, and what only one side did.
fn known(moved: &Moved, records: &[(&str, &Record)]) -> String {
    let Some((first, last)) = moved.voided else { return "No record is void".to_owned() };
    let (mut dice, mut secret) = (0, Vec::new());
    let void = records.iter().filter(|(_, record)| (first..=last).contains(&record.body().seq));
    for (_, record) in void {
        let Ok(Data::Closing(closing)) = Data::read(record.body()) else { continue };
        for roll in &closing.rolls {
            match roll {
                RollSaid::Open { .. } => dice += 1,
                RollSaid::Secret { label, by, .. } => secret.push(format!("{label} of {by}")),
            }
        }
    }
    let span =
        if first == last { format!("Record {first} is void") } else { format!("Records {first} to {last} are void") };
    let rolls =
        if dice == 1 { "1 public roll was known".to_owned() } else { format!("{dice} public rolls were known") };
    match secret.is_empty() {
        true => format!("{span}; {rolls}"),
        false => format!("{span}; {rolls}, and to their owner alone: {}", secret.join(", ")),
    }
}
