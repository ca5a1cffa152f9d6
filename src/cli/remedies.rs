//! What may be done about a record that somebody disputes.

use std::path::Path;

use crate::engine::Diary;
use crate::engine::digest::sha256;
use crate::engine::visible::visible;
use crate::trust::data::Mode;
use crate::trust::ledger::Ledger;
use crate::trust::motion::What;
use crate::trust::record::Record;
use crate::trust::store::read_small;

use super::folder::ORDERS;

/// What the agreed rules of the match allow now: a takeback, a ruling, a word of protest, or nothing.
pub fn diary(ledger: &Ledger, record: u32) -> Diary {
    let mut diary = Diary::new();
    let protocol = ledger.protocol();
    for moved in protocol.moved() {
        let about = match &moved.motion.what {
            What::Ruling(ruling) => ruling.about == record,
            _ => moved.voided.is_some_and(|(first, last)| (first..=last).contains(&record)),
        };
        if about {
            let became = match &moved.reply {
                None => "waits for its answer".to_owned(),
                Some(reply) if reply.accepted => format!("is in force since record {}", reply.seq),
                Some(reply) => format!("was declined in record {}", reply.seq),
            };
            diary.line(format!("Record {} moved {}; it {became}.", moved.seq, visible(&moved.motion.words())), &[]);
        }
    }
    let back = protocol.edges().filter(|edge| *edge < record).last();
    let now = protocol.edges().last();
    match back.filter(|back| Some(*back) != now) {
        Some(back) => {
            diary.line(format!("garcia motion void {back}: everything after record {back} is taken back"), &[])
        }
        None => diary.line("Nothing can be taken back to before it.", &[]),
    }
    let ruling = "garcia motion ruling --case FILE: correct the position; nothing is rolled again";
    diary.line(format!("garcia case --from {record} --output FILE, edit it, then {ruling}"), &[]);
    diary.line(format!("garcia object {record} --note TEXT: say that you do not agree; it changes nothing"), &[]);
    if let Some((role, what)) = protocol.owed() {
        diary.line(format!("garcia notice: {role} owes the {what}; a director needs it to sign for him"), &[]);
    }
    diary.line(who_moves(ledger), &[]);
    diary
}

fn who_moves(ledger: &Ledger) -> String {
    let protocol = ledger.protocol();
    let answers = match protocol.mode() {
        Mode::TwoPlayer => "the other accepts or declines",
        Mode::Gm | Mode::Solo => "nobody has to be asked",
    };
    let due = ledger.awaited().who().map(ToString::to_string);
    match (protocol.at_edge(), protocol.mode(), due) {
        (true, Mode::TwoPlayer, Some(who)) => format!("A motion is made by {who}, who has the move; {answers}."),
        (true, ..) => format!("A motion is made by the one who closes the turns; {answers}."),
        (false, ..) => format!("A motion is made where a turn has ended, by whoever has the move then; {answers}."),
    }
}

/// Orders that were entered from a plain file: whether that file is still in the folder, as it was.
pub fn file_of(folder: &Path, orders: &Record) -> Option<String> {
    let hash = orders.body().data.get("file_sha256")?.as_str()?;
    let entries = std::fs::read_dir(folder.join(ORDERS)).ok()?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| read_small(&entry.path()).is_ok_and(|bytes| sha256(&bytes) == hash))
        .map(|entry| visible(&entry.file_name().to_string_lossy()))
        .collect();
    names.sort();
    Some(match names.first() {
        Some(name) => format!("Entered from a file whose SHA-256 is {hash}: {ORDERS}/{name}, unchanged."),
        None => format!("Entered from a file whose SHA-256 is {hash}; it is not in {ORDERS}/ any more."),
    })
}
