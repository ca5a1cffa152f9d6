//! Questions to the position before a packet is carried out, and what each side is shown afterwards.

use std::collections::BTreeMap;

use super::expect::{Difference, Prospect, Shown};
use super::parts::{Expect, QueryPart};
use super::run::Desk;
use crate::engine::doc::{DocPath, Fault, Node, Reader};
use crate::engine::submission::Outlook;
use crate::engine::{AnyForeseen, AnyJournal, Chances, Diary, Effort, Foresaid, Json, Match, Query, Reply, Side, View};
use crate::play::{PUBLIC, Sitting};
use crate::report::{ChancesReport, OutlookReport, plain};

impl Desk<'_, '_> {
    /// Puts the questions of the case; what is not as expected in the replies.
    pub(super) fn replies(&self, who: Side, expect: &Expect) -> Vec<Difference> {
        let reply = |(what, at, part): (&str, DocPath, &QueryPart)| {
            let side = match &part.side {
                Some(name) => match reader(self.sitting, name, &at.key("side")) {
                    Ok(side) => side,
                    Err(difference) => return vec![difference],
                },
                None => who,
            };
            let holdings = self.sitting.holdings_of(side);
            let view = View { state: &self.sitting.state, holdings: &holdings, side: Some(side) };
            let reply = match what {
                "odds" => self.odds(view, who),
                _ => self.table().query(view, &query(what, part)),
            };
            part.differences(&reply, &at)
        };
        expect.queries().into_iter().flat_map(reply).collect()
    }

    /// What the orders of the packet can come to, as `garcia odds` tells it.
    fn odds(&self, view: View<'_>, who: Side) -> Result<Reply, Vec<Fault>> {
        let (table, stop, at) = (self.table(), &self.sitting.stop, DocPath::root());
        let nothing = Node::Map(Vec::new());
        let mut reader = Reader::new(table.lexicon());
        let node = self.packet.orders.as_ref().unwrap_or(&nothing);
        let read = table.read_orders(stop.ask(), node, &at, &mut reader);
        let (Some(orders), false) = (read, reader.refused()) else { return Err(reader.faults) };
        let mut faults = Vec::new();
        let laid = self.policies(who, &mut faults).unwrap_or_default();
        let own = laid.iter().filter(|((side, _), _)| *side == who);
        let own = own.map(|((_, kind), policy)| (kind.clone(), policy.clone())).collect();
        let said = Foresaid { policies: Some(&own), ..Foresaid::default() };
        let foreseen = table.foresee(view, stop, &said, orders, &at);
        if foreseen.faults.iter().any(|fault| !fault.warning) {
            return Err(foreseen.faults);
        }
        let effort = Effort::default();
        let chances = &table.chances(view, stop, &said, &foreseen.orders, &effort);
        let outlook = Some(&foreseen.outlook);
        let report = ChancesReport { table, reader: who, chances, outlook, seed: effort.seed };
        Ok(Reply { diary: report.diary(), json: report.json(), ..Reply::default() })
    }
}

fn query(what: &str, part: &QueryPart) -> Query {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    match what {
        "reach" => Query::Reach { unit: text(&part.unit) },
        "supply" => Query::Supply { unit: part.unit.clone() },
        _ => Query::Sight { from: text(&part.from), to: text(&part.to) },
    }
}

/// The side of this name, or the public.
fn reader(sitting: &Sitting<'_>, name: &str, at: &DocPath) -> Result<Side, Difference> {
    let known = || sitting.sides().iter().copied().chain([PUBLIC]);
    known().find(|side| side.as_str() == name).ok_or_else(|| {
        let names: Vec<&str> = known().map(Side::as_str).collect();
        Difference::expected(at.clone(), format!("one of {}", names.join(", ")), format!("`{name}`"))
    })
}

/// What a check foresees, as its author reads it in `garcia check`.
pub(super) fn prospect(table: &dyn Match, foreseen: &AnyForeseen, author: Side) -> Prospect {
    let (journal, pending) = (foreseen.outlook.clone(), foreseen.pending.clone());
    let asks = pending.iter().filter(|pending| pending.stops).map(|pending| pending.kind.0.to_owned()).collect();
    // An event that is no plain data is a fault of the game, which the cases of that event show.
    let events = table.events(&journal, Some(author)).unwrap_or_default();
    let outlook = Outlook { journal, pending, policies: Vec::new(), asks: true };
    let mut diary = Diary::new();
    for section in (OutlookReport { table, reader: author, outlook, chances: Chances::default() }).page().sections {
        if !section.heading.is_empty() {
            diary.heading(1, section.heading);
        }
        diary.append(section.diary);
    }
    Prospect { lines: plain(&diary), events, asks }
}

/// What the sides a case looks at are shown of a journal and of the position after it.
pub(super) fn shown(
    sitting: &Sitting<'_>,
    journal: &AnyJournal,
    expect: &Expect,
) -> Result<BTreeMap<String, Shown>, Difference> {
    let table = sitting.table;
    let mut views = BTreeMap::new();
    for name in expect.views.keys() {
        let at = DocPath::root().key("views").key(name);
        let side = reader(sitting, name, &at)?;
        let holdings = sitting.holdings_of(side);
        let events = table.events(journal, Some(side));
        let events = events.map_err(|error| Difference::expected(at, "plain data", error.to_string()))?;
        let (mut report, mut status) = (Diary::new(), Diary::new());
        table.tell(journal, 0, Some(side), &mut report);
        table.tell_state(View { state: &sitting.state, holdings: &holdings, side: Some(side) }, &mut status);
        let mut holds: BTreeMap<String, BTreeMap<String, Json>> = BTreeMap::new();
        for ((owner, slot), value) in holdings.0 {
            holds.entry(owner.as_str().to_owned()).or_default().insert(slot.to_string(), value);
        }
        let holds = Json::Map(holds.into_iter().map(|(owner, slots)| (owner, Json::Map(slots))).collect());
        let (report, status) = (plain(&report), plain(&status));
        views.insert(name.clone(), Shown { events, report, status, holds: Some(holds) });
    }
    Ok(views)
}
