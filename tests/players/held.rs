//! Everything one player gets to see of a packet: to compare what he holds of two matches that differ in secret alone.

use garcia::draw::{Window, text_map};
use garcia::engine::json::Json;
use garcia::engine::{AnyJournal, Key, Minutes, Side, Slot, View};
use garcia::play::Sitting;
use garcia::report::{Look, TurnReport, markdown, picture_text};

/// What a player holds after a packet, but for the commitments.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    pub rolls: Vec<(Key, Vec<u16>)>,
    pub opened: Vec<(Slot, Json)>,
    pub claims: Vec<(Key, Json)>,
    pub state: Json,
    pub stop: String,
    pub events: Vec<Json>,
    pub report: String,
    pub template: String,
    pub map: String,
    pub holdings: Vec<(Side, Slot, Json)>,
}

impl Held {
    /// What somebody holds at the end of a packet that was just carried out.
    pub fn by(looker: Side, sitting: &Sitting<'_>, headline: String, journal: &AnyJournal, minutes: &Minutes) -> Held {
        let (table, known) = (sitting.table, sitting.holdings_of(looker));
        let view = View { state: &sitting.state, holdings: &known, side: Some(looker) };
        let stop = &sitting.stop;
        let (lead, messages) = (Vec::new(), Vec::new());
        let report = TurnReport { table, headline, lead, messages, view, journal, told: 0, stop, ended: None };
        let due = sitting.stop.who() == Some(looker);
        Held {
            rolls: minutes.rolls.iter().map(|roll| (roll.label.clone(), roll.faces().to_vec())).collect(),
            opened: minutes.reveals.iter().map(|opening| (opening.slot.clone(), opening.value.clone())).collect(),
            claims: minutes.claims.iter().map(|claim| (claim.key.clone(), claim.value.clone())).collect(),
            state: table.state_json(&sitting.state).expect("canonical"),
            stop: format!("{:?}", sitting.stop),
            events: table.events(journal, Some(looker)).expect("canonical"),
            report: markdown(&report.page()),
            template: if due { table.template(view, stop) } else { String::new() },
            map: picture_text(&text_map(&table.scene(view), &Window::default(), 100), Look::PLAIN),
            holdings: known.0.iter().map(|((side, slot), value)| (*side, slot.clone(), value.clone())).collect(),
        }
    }
}
