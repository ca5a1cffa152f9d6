//! What is sealed anew: it may hide the same again, and do what the game allows.

use crate::engine::json::Json;
use crate::engine::{Holdings, Slot, View};
use crate::trust::data::Data;
use crate::trust::finding::{Code, Finding};
use crate::trust::protocol::Protocol;
use crate::trust::record::Record;
use crate::trust::replay::{Replay, Vision};
use crate::trust::role::Role;
use crate::trust::seals::is_in_state;

/// New versions of what lies face down may hide it again, or do what the game allows, and no more.
pub(super) fn check_resealed(
    protocol: &Protocol,
    replay: &Replay,
    record: &Record,
    data: &Data,
    before: &Holdings,
    vision: &Vision,
) -> Result<(), Finding> {
    let by = &record.body().by;
    let mut anew = data.hides().iter().filter(|hide| hide.version > 1 && is_in_state(&hide.slot)).peekable();
    // Who cannot read them all would take what he cannot see for a change.
    let readable = anew.peek().is_some() && anew.all(|hide| vision.get(by, &hide.slot, hide.version).is_some());
    if !readable {
        return Ok(());
    }
    held_against(replay, by, before, &replay.holdings(protocol, vision))
}

/// The same for what a motion hides anew, once it acts: held against the position it leads to.
pub(super) fn check_rehidden(
    protocol: &Protocol,
    replay: &Replay,
    record: &Record,
    vision: &Vision,
) -> Result<(), Finding> {
    let seq = record.body().seq;
    let Some(moved) = protocol.put_in_force(seq).filter(|moved| !moved.motion.is_lost()) else { return Ok(()) };
    let seals = protocol.seals();
    for role in protocol.roles() {
        let mut anew = seals
            .of_role(role)
            .filter(|(slot, sealing)| is_in_state(slot) && (sealing.seq == moved.seq || sealing.seq == seq));
        let readable =
            |(slot, sealing): (&Slot, &crate::trust::seals::Sealing)| vision.get(role, slot, sealing.version).is_some();
        let some = seals
            .of_role(role)
            .any(|(slot, sealing)| is_in_state(slot) && (sealing.seq == moved.seq || sealing.seq == seq));
        if some && anew.all(readable) {
            let before = replay.holdings_of_seals(protocol, &seals.without(&[moved.seq, seq]), vision);
            held_against(replay, role, &before, &replay.holdings(protocol, vision))?;
        }
    }
    Ok(())
}

pub(super) fn held_against(replay: &Replay, by: &Role, before: &Holdings, after: &Holdings) -> Result<(), Finding> {
    let view = |holdings| View { state: replay.state(), holdings, side: None };
    replay.table().resealed(view(before), view(after)).map_err(|clause| {
        let what = "what lies face down was exchanged against the rules";
        Finding::new(Code::Audit, what).signed_by(by).about(clause)
    })
}

/// Whether a record has a new version of something that lies face down in the position. What was taken back is not there
/// any more, and its slot is new again.
pub(super) fn seals_anew(protocol: &Protocol, record: &Record) -> bool {
    let hides = record.body().data.get("hide").and_then(Json::as_list).unwrap_or_default();
    hides.iter().any(|hide| {
        let slot = hide.get("slot").and_then(Json::as_str).and_then(|slot| Slot::parse(slot).ok());
        slot.is_some_and(|slot| {
            let there = protocol.seals().in_force(&record.body().by, &slot, protocol.moment());
            is_in_state(&slot) && there.is_some()
        })
    })
}
