//! `garcia status`: whose move it is and what to do next.

use clap::Args;
use serde_json::json;

use crate::engine::{Diary, Stop};
use crate::report::{Page, awaited, terminal};
use crate::trust::data::Mode;
use crate::trust::walk;

use super::campaign::Campaign;
use super::{Done, Trouble, World};

/// Show whose move it is, what is awaited, and whether the dice are verified.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia status                in a game folder
  garcia -C kettle-hill status
  garcia status --json         {\"game\", \"turn\", \"due\", \"rolls\", …}")]
pub struct Status {}

impl Status {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let campaign = Campaign::open(world)?;
        if world.json {
            return json_status(&campaign);
        }
        Ok(Done::good(terminal(&page(&campaign), world.look)))
    }
}

/// Whether orders are signed and their result is owed.
pub fn owes_result(campaign: &Campaign) -> bool {
    matches!(campaign.ledger.walk().due(), walk::Due::Result(_))
}

fn page(campaign: &Campaign) -> Page {
    let (table, view, stop) = (campaign.table(), campaign.view(None), campaign.stop());
    let mut page = Page::new(table.headline(view.state));
    page.lead.push(campaign.dice_line());
    let records = campaign.ledger.records().len();
    let short = campaign.game_id().get(..8).unwrap_or_default();
    page.lead.push(format!("match {short}, {records} record{}", if records == 1 { "" } else { "s" }));
    let mode = campaign.ledger.walk().mode();
    // A game master enters what players without a key of their own hand in.
    let mine = mode != Mode::TwoPlayer || campaign.seat.is_none() || campaign.seat == stop.who();
    let mut next = Diary::new();
    if let Some(verdict) = table.verdict(view.state) {
        next.line(verdict.text, &[]);
    }
    if let (true, Mode::TwoPlayer | Mode::Gm) = (owes_result(campaign), mode) {
        let who = campaign.ledger.awaited().who().map(ToString::to_string).unwrap_or_default();
        next.line(format!("Orders are signed; {who} owes their result."), &[]);
        next.line("garcia receive    closes what is due from here, or takes what came", &[]);
    } else if owes_result(campaign) {
        next.line("Orders are signed and not yet resolved.", &[]);
        next.line("garcia resolve    closes them", &[]);
    } else {
        for line in awaited(table, view, stop) {
            next.line(line, &[]);
        }
        match stop {
            Stop::End => {
                next.line("garcia report     tells the last turn", &[]);
                next.line("garcia verify     recomputes every die", &[]);
            }
            _ if !mine => next.line("garcia receive FILE        when the mail comes", &[]),
            _ => {
                next.line("garcia template --write    an order file for this moment", &[]);
                next.line("garcia check FILE          all mistakes at once", &[]);
                match mode {
                    Mode::Solo => next.line("garcia resolve FILE        roll and report", &[]),
                    Mode::TwoPlayer | Mode::Gm => {
                        next.line("garcia send FILE           sign it and make the mail", &[])
                    }
                }
            }
        }
    }
    page.section("What comes next", next);
    page
}

fn json_status(campaign: &Campaign) -> Result<Done, Trouble> {
    let (table, view, stop) = (campaign.table(), campaign.view(None), campaign.stop());
    let questions: Vec<serde_json::Value> = match stop {
        Stop::Answers { questions, .. } => questions
            .iter()
            .map(|asked| {
                json!({
                    "key": asked.key, "kind": asked.kind, "clause": asked.clause, "text": asked.text,
                    "options": asked.options, "complete": asked.complete, "default": asked.default
                })
            })
            .collect(),
        _ => Vec::new(),
    };
    let genesis = campaign.ledger.walk().genesis();
    Done::json(&json!({
        "game": table.ruleset().id(),
        "match": campaign.game_id(),
        "mode": campaign.ledger.walk().mode().as_str(),
        "scenario": genesis.and_then(|genesis| genesis.scenario.clone()),
        "options": genesis.and_then(|genesis| genesis.options.clone()),
        "headline": table.headline(view.state),
        "turn": table.turn(view.state),
        "due": { "who": stop.who(), "ask": stop.ask(), "questions": questions },
        "result_owed": owes_result(campaign),
        "records": campaign.ledger.records().len(),
        "head": campaign.ledger.walk().head(),
        "rolls": super::campaign::rolls(campaign.ledger.records()),
        "verified": true,
        "verdict": table.verdict(view.state),
    }))
}
