//! `garcia compare`: where two copies of a ledger part, and whether one signer wrote both branches.

use super::finding::{Code, Finding};
use super::protocol::Protocol;
use super::record::Record;

/// How two ledgers stand to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The same records.
    Same,
    /// One holds all of the other and goes on.
    Longer {
        /// Whether it is the first of the two.
        first: bool,
        /// How many records both have.
        common: u32,
    },
    /// They differ from a record on.
    Parted {
        /// The place where they part.
        seq: u32,
        /// The two records there.
        records: Box<(Record, Record)>,
        /// A fork if both are valid and by one signer; otherwise why they differ, and nobody's fault.
        finding: Finding,
    },
}

/// Compares two ledgers record by record.
pub fn compare(one: &[Record], other: &[Record]) -> Comparison {
    let mut protocol = Protocol::new();
    for (seq, (a, b)) in (0u32..).zip(one.iter().zip(other)) {
        if a.id() != b.id() {
            let finding = parted(&protocol, a, b);
            return Comparison::Parted { seq, records: Box::new((a.clone(), b.clone())), finding };
        }
        // A record that is wrong in both copies is a matter for `verify`; from there on only ids are compared.
        protocol.take(a).ok();
    }
    let common = u32::try_from(one.len().min(other.len())).unwrap_or(u32::MAX);
    match one.len().cmp(&other.len()) {
        std::cmp::Ordering::Equal => Comparison::Same,
        longer => Comparison::Longer { first: longer.is_gt(), common },
    }
}

/// Why two records stand for one place, after the records before it.
pub fn parted_at(before: &[Record], a: &Record, b: &Record) -> Finding {
    let mut protocol = Protocol::new();
    for record in before {
        protocol.take(record).ok();
    }
    parted(&protocol, a, b)
}

fn parted(protocol: &Protocol, a: &Record, b: &Record) -> Finding {
    let valid = |record: &Record| protocol.clone().take(record);
    match (valid(a), valid(b)) {
        (Ok(_), Ok(_)) if a.body().by == b.body().by => {
            let what = "two validly signed records for one place";
            Finding::new(Code::Fork, what).signed_by(&a.body().by).not(a.id(), b.id())
        }
        (Ok(_), Ok(_)) => Finding::new(Code::Gap, "two records for one place by different signers"),
        (Ok(_), Err(finding)) => {
            Finding { fault: None, what: format!("the second is not valid: {}", finding.what), ..finding }
        }
        (Err(finding), Ok(_)) => {
            Finding { fault: None, what: format!("the first is not valid: {}", finding.what), ..finding }
        }
        (Err(finding), Err(_)) => {
            Finding { fault: None, what: format!("neither is valid: {}", finding.what), ..finding }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::json::Json;
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
        assert_eq!(rewound(&PrivateKey::from_seed(&us)), (4, Code::Fork, Some("us".to_owned())));
        assert_eq!(rewound(&PrivateKey::from_seed(&[9; 32])), (4, Code::Signature, None), "a forged branch");
    }
}
