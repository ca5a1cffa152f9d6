//! `garcia demo`: a whole match before your eyes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::engine::dice::Chance;
use crate::engine::digest::hash_bytes;
use crate::engine::{Charter, Diary, Json, Match, Moment, Ruleset, Side, Stop, View};
use crate::games::GAMES;
use crate::report::{Page, terminal};
use crate::trust::data::Answer;
use crate::trust::home::GameFile;
use crate::trust::key::PrivateKey;
use crate::trust::ledger::{Ledger, Pen, Speech, Terms};
use crate::trust::replay::Vision;
use crate::trust::secret::GameSecret;
use crate::trust::store::{LedgerFile, LedgerFiles};
use crate::trust::verify::{Verification, verify};

use super::campaign::{Campaign, lay, ruleset};
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
        let campaign = self.play(game, charter, world, &mut show)?;
        let verification = check(&campaign);
        let code = match verification.exit_code() {
            // The match may be cut short; then somebody's orders are due, which is as it should be.
            3 => 0,
            code => code,
        };
        if world.json {
            let verdict = campaign.table().verdict(campaign.view(None).state);
            return Ok(Done::json(&json!({
                "game": game.id(), "seed": self.seed, "records": campaign.ledger.records().len(),
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

    fn play(&self, game: &dyn Ruleset, charter: Charter, world: &World, show: &mut Show) -> Result<Campaign, Trouble> {
        let table = game.open(&charter).map_err(Trouble::refused)?;
        let key = PrivateKey::from_seed(&hash_bytes("demo", &["key", &self.seed]));
        let secret = GameSecret::from_bytes(hash_bytes("demo", &["secret", &self.seed]));
        let solo = Terms { charter, ask: true, max_asks: Some(1), links: 1024, note: None };
        let (ledger, mut file) = Ledger::begin_solo_in_memory(table, solo, &key, secret)?;
        let mut campaign = Campaign::of(PathBuf::new(), ledger);
        let mut chance = Chance::new(&self.seed);
        for _ in 0..MOST_PACKETS {
            let turn = campaign.table().turn(campaign.view(None).state);
            let stop = campaign.stop().clone();
            if stop == Stop::End || self.turns.is_some_and(|turns| turn > turns && stop.ends_span()) {
                return Ok(campaign);
            }
            let speech = speech(&campaign, &stop, &mut chance)?;
            self.step(&mut campaign, speech, &key, &mut file)?;
            show.add(&campaign, self.brief, world)?;
        }
        Err(Trouble::bug("the match does not end"))
    }

    fn step(
        &self,
        campaign: &mut Campaign,
        speech: Speech,
        key: &PrivateKey,
        file: &mut GameFile,
    ) -> Result<(), Trouble> {
        campaign.ledger.play(speech, &mut Pen { key, file })?;
        campaign.refresh();
        Ok(())
    }
}

/// What the reader gets to see.
struct Show {
    text: String,
    spans: Vec<serde_json::Value>,
}

impl Show {
    fn add(&mut self, campaign: &Campaign, brief: bool, world: &World) -> Result<(), Trouble> {
        let report = campaign.turn_report().ok_or_else(|| Trouble::bug("a result without a journal"))?;
        if world.json {
            let events = campaign.table().events(report.journal, None);
            let events = events.map_err(|error| Trouble::bug(error.to_string()))?;
            self.spans.push(json!({ "headline": report.headline, "told": report.told, "events": events }));
            return Ok(());
        }
        let page = if brief { digest(campaign.table(), &report.headline, report.journal) } else { report.page() };
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
fn speech(campaign: &Campaign, stop: &Stop, chance: &mut Chance) -> Result<Speech, Trouble> {
    let table = campaign.table();
    match stop {
        Stop::Answers { questions, .. } => {
            let mut answers = Vec::new();
            for asked in questions {
                let choice = chance.pick(&asked.options).unwrap_or(&asked.default).clone();
                answers.push(Answer { key: asked.key.clone(), choice });
            }
            Ok(Speech { answers, ..Speech::default() })
        }
        Stop::Orders { who, .. } => {
            let view: View<'_> = campaign.view(Some(*who));
            let orders = table.random_orders(view, stop, chance);
            let orders = table.orders_json(&orders).map_err(|error| Trouble::bug(error.to_string()))?;
            Ok(Speech {
                orders: Some(orders),
                policies: policies(campaign, *who, true, chance),
                standing: policies(campaign, *who, false, chance),
                answers: Vec::new(),
            })
        }
        Stop::Facts { .. } | Stop::End => Err(Trouble::bug("nobody has anything to decide")),
    }
}

/// A policy now and then; most questions take their default.
fn policies(campaign: &Campaign, side: Side, own: bool, chance: &mut Chance) -> BTreeMap<String, Json> {
    let table = campaign.table();
    let mut policies = BTreeMap::new();
    for info in table.ruleset().kinds() {
        let here = match info.moment {
            Moment::OwnTurn => own,
            Moment::OpponentsTurn => !own,
            Moment::Either => true,
        };
        if here && info.asked_of.contains(&side) {
            let policy = match chance.below(4) {
                0 => table.random_policy(campaign.view(None).state, side, info.kind.0, chance),
                _ => Json::from("default"),
            };
            policies.insert(info.kind.0.to_owned(), policy);
        }
    }
    policies
}

/// The ledger as a stranger would find it, walked from its first record.
fn check(campaign: &Campaign) -> Verification {
    let file = |record: &crate::trust::record::Record| LedgerFile {
        name: record.file_name(),
        seq: record.body().seq,
        record: Ok(record.clone()),
    };
    let found = LedgerFiles { files: campaign.ledger.records().iter().map(file).collect(), problems: Vec::new() };
    verify(&found, &|genesis| lay(&campaign.folder, genesis), &Vision::public())
}
