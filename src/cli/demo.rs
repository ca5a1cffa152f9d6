//! `garcia demo`: a whole match before your eyes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::engine::dice::Chance;
use crate::engine::digest::hash_bytes;
use crate::engine::submission::Submission;
use crate::engine::{Charter, Diary, Json, Match, Moment, Ruleset, Side, Stop, View};
use crate::games::GAMES;
use crate::report::{Page, terminal};
use crate::trust::key::PrivateKey;
use crate::trust::ledger::{Company, Ledger, Terms};
use crate::trust::replay::Vision;
use crate::trust::seat::Seat;
use crate::trust::secret::GameSecret;
use crate::trust::store::{LedgerFile, LedgerFiles};
use crate::trust::verify::{Verification, verify};

use super::folder::lay;
use super::sight::{Sight, ruleset};
use super::{Done, Trouble, World};

/// More records than any match has; a game that does not end is at fault.
const MOST_PACKETS: usize = 2000;

/// Play a whole match before your eyes: two players who choose at random among what is legal, every turn report, and
/// the dice verified at the end.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia demo                              the whole campaign
  garcia demo --brief                      a few lines for each turn
  garcia demo santiago-1898 --turns 3      only the first three turns
  garcia demo --seed kettle-hill           another match; the same seed gives the same match")]
pub struct Demo {
    /// Which game.
    game: Option<String>,
    /// Any text; another text is another match.
    #[arg(long, default_value = "garcia")]
    seed: String,
    /// Stop after this many turns.
    #[arg(long, value_name = "N")]
    turns: Option<u32>,
    /// The scenario.
    #[arg(long, value_name = "ID")]
    scenario: Option<String>,
    /// Only what each side lost and gained.
    #[arg(long)]
    brief: bool,
}

impl Demo {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let game = match &self.game {
            Some(id) => ruleset(id)?,
            None => *GAMES.first().ok_or_else(|| Trouble::bug("no game is known"))?,
        };
        let charter = Charter { scenario: self.scenario.clone().unwrap_or_default(), ..Charter::default() };
        let mut show = Show { text: String::new(), spans: Vec::new() };
        let sight = self.play(game, charter, world, &mut show)?;
        let verification = check(&sight);
        let code = match verification.exit_code() {
            // The match may be cut short; then somebody's orders are due, which is as it should be.
            3 => 0,
            code => code,
        };
        if world.json {
            let verdict = sight.table().verdict(sight.view(None).state);
            return Ok(Done::json(&json!({
                "game": game.id(), "seed": self.seed, "records": sight.ledger.records().len(),
                "spans": show.spans, "verdict": verdict, "verification": verification.to_json(),
            }))?
            .with(code));
        }
        let mut text = show.text;
        text.push_str("\nThe ledger of this match, verified from its first record:\n");
        text.push_str(&verification.report("ledger"));
        text.push_str("\nBegin a game of your own: garcia new ");
        text.push_str(&format!("{} --solo\n", game.id()));
        Ok(Done::good(text).with(code))
    }

    fn play(&self, game: &dyn Ruleset, charter: Charter, world: &World, show: &mut Show) -> Result<Sight, Trouble> {
        let table = game.open(&charter).map_err(Trouble::refused)?;
        let key = PrivateKey::from_seed(&hash_bytes("demo", &["key", &self.seed]));
        let secret = GameSecret::from_bytes(hash_bytes("demo", &["secret", &self.seed]));
        let solo = Terms { charter, ask: true, max_asks: Some(1), note: None, ..Terms::default() };
        let (ledger, file) = Ledger::begin_in_memory(table, Company::Solo, solo, &key, secret)?;
        let mut seat = Seat::of(ledger, key, file);
        let mut chance = Chance::new(&self.seed);
        for _ in 0..MOST_PACKETS {
            let sight = Sight::of(PathBuf::new(), seat.ledger().clone());
            let turn = sight.table().turn(sight.view(None).state);
            let stop = sight.stop().clone();
            if stop == Stop::End || self.turns.is_some_and(|turns| turn > turns && stop.ends_span()) {
                return Ok(sight);
            }
            seat.send(&submission(&sight, &stop, &mut chance)?)?;
            seat.advance()?;
            show.add(&Sight::of(PathBuf::new(), seat.ledger().clone()), self.brief, world)?;
        }
        Err(Trouble::bug("the match does not end"))
    }
}

/// What the reader gets to see.
struct Show {
    text: String,
    spans: Vec<serde_json::Value>,
}

impl Show {
    fn add(&mut self, sight: &Sight, brief: bool, world: &World) -> Result<(), Trouble> {
        let report = sight.turn_report().ok_or_else(|| Trouble::bug("a result without a journal"))?;
        if world.json {
            let events = sight.table().events(report.journal, None);
            let events = events.map_err(|error| Trouble::bug(error.to_string()))?;
            self.spans.push(json!({ "headline": report.headline, "told": report.told, "events": events }));
            return Ok(());
        }
        let page = if brief { digest(sight.table(), &report.headline, report.journal) } else { report.page() };
        self.text.push_str(&terminal(&page, world.look));
        self.text.push('\n');
        Ok(())
    }
}

/// A few lines for each packet.
fn digest(table: &dyn Match, headline: &str, journal: &crate::engine::AnyJournal) -> Page {
    let mut page = Page::new(headline);
    let mut balance = Diary::new();
    table.sum_up(journal, None, &mut balance);
    page.section("", balance);
    page
}

/// What a player who chooses at random among the legal things says now.
fn submission(sight: &Sight, stop: &Stop, chance: &mut Chance) -> Result<Submission, Trouble> {
    let table = sight.table();
    let side = stop.who().ok_or_else(|| Trouble::bug("nobody has anything to decide"))?;
    let mut said = Submission {
        side,
        orders: None,
        policies: BTreeMap::new(),
        standing: BTreeMap::new(),
        answers: BTreeMap::new(),
        note: None,
    };
    match stop {
        Stop::Answers { questions, .. } => {
            for asked in questions {
                let choice = chance.pick(&asked.options).unwrap_or(&asked.default).clone();
                said.answers.insert(asked.key.clone(), choice);
            }
        }
        Stop::Orders { .. } => {
            let view: View<'_> = sight.view(Some(side));
            said.orders = Some(table.random_orders(view, stop, chance));
            said.policies = policies(sight, side, true, chance);
            said.standing = policies(sight, side, false, chance);
        }
        Stop::Facts { .. } | Stop::End => return Err(Trouble::bug("nobody has anything to decide")),
    }
    Ok(said)
}

/// A policy now and then; most questions take their default.
fn policies(sight: &Sight, side: Side, own: bool, chance: &mut Chance) -> BTreeMap<String, Json> {
    let table = sight.table();
    let mut policies = BTreeMap::new();
    for info in table.ruleset().kinds() {
        let here = match info.moment {
            Moment::OwnTurn => own,
            Moment::OpponentsTurn => !own,
            Moment::Either => true,
        };
        if here && info.asked_of.contains(&side) {
            let policy = match chance.below(4) {
                0 => table.random_policy(sight.view(None).state, side, info.kind.0, chance),
                _ => Json::from("default"),
            };
            policies.insert(info.kind.0.to_owned(), policy);
        }
    }
    policies
}

/// The ledger as a stranger would find it, walked from its first record.
fn check(sight: &Sight) -> Verification {
    let file = |record: &crate::trust::record::Record| LedgerFile {
        name: record.file_name(),
        seq: record.body().seq,
        record: Ok(record.clone()),
    };
    let found = LedgerFiles { files: sight.ledger.records().iter().map(file).collect(), problems: Vec::new() };
    verify(&found, &|genesis| lay(&sight.folder, genesis), &Vision::public())
}
