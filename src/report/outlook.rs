//! The outlook of an order file: what will happen if all goes well, before anything is signed.

use serde_json::json;

use crate::engine::submission::{InForce, Outlook, Whence, flow};
use crate::engine::{Affair, Chances, Diary, Match, NotCanonical, Pending, Prospect, Side};

use super::Page;
use super::chances::{ChancesReport, in_a_line};

/// What an outlook is made from.
pub struct OutlookReport<'a> {
    /// The match.
    pub table: &'a dyn Match,
    /// Who wrote the orders.
    pub reader: Side,
    /// What was foreseen.
    pub outlook: Outlook,
    /// What the orders can come to over all dice.
    pub chances: Chances,
}

impl OutlookReport<'_> {
    /// The outlook for people.
    pub fn page(&self) -> Page {
        let mut page = Page::new("Outlook, if all goes well");
        let mut told = Diary::new();
        self.table.tell(&self.outlook.journal, 0, Some(self.reader), &mut told);
        page.section("", told);
        page.section("Chances (`garcia odds` tells more)", self.chances());
        page.section("Left to a question", self.questions());
        page.section("Laid down for your questions", self.policies());
        page
    }

    /// A line for every fight, and for every other order that hangs on dice.
    fn chances(&self) -> Diary {
        let mut diary = Diary::new();
        let ordered = |prospect: &&Prospect| {
            let uncertain = prospect.spread.fight().is_some() || prospect.spread.0.len() > 1;
            matches!(prospect.affair, Affair::Entry(_)) && uncertain
        };
        for prospect in self.chances.prospects.iter().filter(ordered) {
            diary.line(in_a_line(prospect), &[]);
        }
        diary
    }

    fn questions(&self) -> Diary {
        let mut diary = Diary::new();
        for pending in &self.outlook.pending {
            let asked = match (pending.stops, pending.who == self.reader) {
                (true, true) => "you will be asked",
                (true, false) => "your opponent may be asked",
                (false, true) => "you have laid this down",
                (false, false) => "your opponent decides",
            };
            let Pending { kind, text, reckoned, clause, .. } = pending;
            diary.line(format!("`{kind}`, {asked}: {text} Reckoned with: {}.", flow(reckoned)), &[*clause]);
        }
        diary
    }

    fn policies(&self) -> Diary {
        let turn = |own: bool| if own { "your own turn" } else { "your opponent's turn" };
        let row = |policy: &InForce| {
            let when = turn(policy.own).to_owned();
            vec![policy.kind.to_string(), when, flow(&policy.said), policy.whence().to_owned()]
        };
        let mut diary = Diary::new();
        let (unsaid, said): (Vec<&InForce>, Vec<&InForce>) =
            self.outlook.policies.iter().partition(|policy| policy.whence == Whence::Nowhere);
        diary.table(&["question", "in", "laid down", "from"], said.into_iter().map(row).collect());
        for own in [true, false] {
            let kinds: Vec<&str> =
                unsaid.iter().filter(|policy| policy.own == own).map(|policy| policy.kind.0).collect();
            let then = if own && self.outlook.asks { "you are asked" } else { "the default applies" };
            if !kinds.is_empty() {
                diary.line(format!("Nothing, so {then} in {}: {}.", turn(own), kinds.join(", ")), &[]);
            }
        }
        diary
    }

    /// The outlook for programs.
    pub fn json(&self) -> Result<serde_json::Value, NotCanonical> {
        let events = self.table.events(&self.outlook.journal, Some(self.reader))?;
        let question = |pending: &Pending| {
            json!({
                "who": pending.who, "kind": pending.kind, "clause": pending.clause, "text": pending.text,
                "reckoned": pending.reckoned, "stops": pending.stops,
            })
        };
        let policy = |policy: &InForce| json!({ "kind": policy.kind, "own-turn": policy.own, "said": policy.said, "from": policy.whence() });
        let (table, reader, chances) = (self.table, self.reader, &self.chances);
        let chances = ChancesReport { table, reader, chances, outlook: None, seed: "garcia" }.json();
        Ok(json!({
            "events": events,
            "questions": self.outlook.pending.iter().map(question).collect::<Vec<_>>(),
            "policies": self.outlook.policies.iter().map(policy).collect::<Vec<_>>(),
            "chances": chances,
        }))
    }
}
