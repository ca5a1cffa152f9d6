//! `garcia compare`: where two copies of a ledger part, and whether one signer wrote both branches.

use std::collections::BTreeMap;

use super::finding::{Code, Finding};
use super::ledger::{follow, seat};
use super::protocol::Protocol;
use super::record::Record;
use super::replay::{Replay, Vision};
use super::rivals::{Place, opened_twice};
use super::verify::Lay;

/// How two ledgers stand to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The same records.
    Same,
    /// One holds all of the other and goes on.
    Longer {
        /// Whether it is the first of the two.
        first: bool,
        /// How many places both have.
        common: u32,
    },
    /// They differ from a record on.
    Parted {
        /// The place where they part.
        seq: u32,
        /// The two records there.
        records: Box<(Record, Record)>,
        /// A fork if both are sound and by one signer; otherwise why they differ, and whose matter that is.
        finding: Finding,
    },
}

/// One copy of a ledger: the record at each place where one could be read.
pub type Copy = BTreeMap<u32, Record>;

/// Compares two copies of a ledger record by record; places that one of them has not are passed over.
pub fn compare(one: &Copy, other: &Copy, lay: &Lay<'_>) -> Comparison {
    let parts = one.iter().find_map(|(seq, a)| other.get(seq).filter(|b| b.id() != a.id()).map(|b| (*seq, a, b)));
    if let Some((seq, a, b)) = parts {
        let finding = parted(one, other, seq, (a, b), lay);
        return Comparison::Parted { seq, records: Box::new((a.clone(), b.clone())), finding };
    }
    let places = |copy: &Copy| copy.keys().next_back().map_or(0, |last| last + 1);
    let common = places(one).min(places(other));
    match places(one).cmp(&places(other)) {
        std::cmp::Ordering::Equal => Comparison::Same,
        longer => Comparison::Longer { first: longer.is_gt(), common },
    }
}

/// Why two records stand for one place.
fn parted(one: &Copy, other: &Copy, seq: u32, (a, b): (&Record, &Record), lay: &Lay<'_>) -> Finding {
    let before: Option<Vec<&Record>> = (0..seq).map(|at| one.get(&at).or_else(|| other.get(&at))).collect();
    let walked = before.and_then(|before| walk(&before, lay));
    let Some((protocol, rules)) = walked else {
        return Finding::new(Code::Gap, "what comes before is missing or wrong in both, so nobody can judge it");
    };
    let place = Place { protocol: &protocol, rules: rules.as_ref() };
    let not_sound = |which: &str, finding: Finding| {
        let what = format!("{which} is not valid: {}", finding.what);
        Finding { what, ..finding }
    };
    let finding = match (place.sound(a), place.sound(b)) {
        (Ok(()), Ok(())) => place.both_sound(a, b),
        (Ok(()), Err(finding)) => not_sound("the second", finding),
        (Err(finding), Ok(())) => not_sound("the first", finding),
        (Err(finding), Err(_)) => return Finding { fault: None, ..not_sound("neither", finding) },
    };
    if finding.fault.is_some() {
        return finding;
    }
    // Of two branches both may hold a result with one link.
    let results = |copy: &'_ Copy| copy.range(seq..).map(|(_, record)| record.clone()).collect::<Vec<_>>();
    let (ours, theirs) = (results(one), results(other));
    let signed = |record: &Record| {
        let seat = protocol.signatories().get(&record.body().by);
        seat.is_some_and(|seat| record.is_signed_by(&seat.key))
    };
    let pairs = ours.iter().flat_map(|a| theirs.iter().map(move |b| (a, b)));
    let twice = pairs.filter_map(|(a, b)| opened_twice(a, b).filter(|_| signed(a) && signed(b)));
    twice.into_iter().next().unwrap_or(finding)
}

/// The game that some records lead to; nothing if one of them is wrong.
fn walk(records: &[&Record], lay: &Lay<'_>) -> Option<(Protocol, Option<Replay>)> {
    let mut protocol = Protocol::new();
    for record in records {
        protocol.take(record).ok()?;
    }
    let replay = protocol.genesis().zip(protocol.founder()).and_then(|(genesis, founder)| {
        let all: Vec<Record> = records.iter().map(|record| (*record).clone()).collect();
        let mut replay = seat(lay(genesis).ok()?, genesis, founder, &all).ok()?;
        let mut walked = Protocol::new();
        for record in records {
            follow(&mut walked, &mut replay, &Vision::public(), record).ok()?;
        }
        Some(replay)
    });
    Some((protocol, replay))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::json::Json;
    use crate::trust::data::Genesis;
    use crate::trust::key::PrivateKey;

    fn sample() -> Vec<Record> {
        let vectors: serde_json::Value =
            serde_json::from_str(include_str!("../../tests/vectors/protocol_vectors.json")).expect("JSON");
        let records = vectors["records"].as_array().expect("records");
        records.iter().map(|r| Record::read(r.as_str().expect("a text").as_bytes()).expect("a record")).collect()
    }

    #[test]
    fn two_ledgers_part_where_one_signer_wrote_twice() {
        let all = sample();
        let copy = |records: &[Record]| -> Copy { records.iter().map(|r| (r.body().seq, r.clone())).collect() };
        let unknown = |_: &Genesis| Err(Finding::new(Code::Engine, "a game without rules"));
        let compare = |one: &[Record], other: &[Record]| compare(&copy(one), &copy(other), &unknown);
        assert_eq!(compare(&all, &all), Comparison::Same);
        assert_eq!(compare(&all, &all[..5]), Comparison::Longer { first: true, common: 5 });
        assert_eq!(compare(&all[..5], &all), Comparison::Longer { first: false, common: 5 });
        let mut body = all[4].body().clone();
        *body.data.pointer_mut("/orders/attacks").expect("attacks") = Json::List(vec![]);
        let us: [u8; 32] = std::array::from_fn(|n| n as u8);
        let rewound = |key: &PrivateKey| {
            let mut log = all[..4].to_vec();
            log.push(Record::sign(body.clone(), key).expect("signed"));
            match compare(&all, &log) {
                Comparison::Parted { seq, finding, .. } => (seq, finding.code, finding.fault.map(|r| r.to_string())),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(
            rewound(&PrivateKey::from_seed(&us)),
            (4, Code::Fork, None),
            "whether both packets are in order only the rules tell"
        );
        assert_eq!(rewound(&PrivateKey::from_seed(&[9; 32])), (4, Code::Signature, None), "a forged branch");
    }
}
