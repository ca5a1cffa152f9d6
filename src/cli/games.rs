//! `garcia games`: the games, their scenarios and options.

use clap::Args;
use serde_json::json;

use crate::engine::{Diary, OptionInfo, Ruleset};
use crate::games::GAMES;
use crate::report::{Page, terminal};

use super::sight::ruleset;
use super::{Done, Trouble, World};

/// Options that every game has.
pub const COMMON_OPTIONS: &[(&str, &[&str], &str)] = &[
    ("questions", &["ask", "default"], "whether the game stops and asks where nothing was said, or takes the default"),
    ("max-asks", &["none", "0", "1", "2", "3", "…"], "how often each side may stop the game in one packet of orders"),
];

/// Show the games, their scenarios and options.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia games                  all games in a few lines each
  garcia games santiago-1898    one game: scenarios, options, where its numbers come from
  garcia games --json           the same for a program")]
pub struct Games {
    /// Only this game, in full.
    game: Option<String>,
}

impl Games {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let one = self.game.as_deref().map(ruleset).transpose()?;
        if world.json {
            let list: Vec<serde_json::Value> = match one {
                Some(game) => vec![describe(game)],
                None => GAMES.iter().map(|game| describe(*game)).collect(),
            };
            return Done::json(&list);
        }
        let page = match one {
            Some(game) => in_full(game),
            None => all(),
        };
        Ok(Done::good(terminal(&page, world.look)))
    }
}

fn all() -> Page {
    let mut page = Page::new("The games");
    for game in GAMES {
        let about = game.about();
        let mut diary = Diary::new();
        diary.line(format!("{}: {}", about.title, about.credits), &[]);
        diary.line(about.text, &[]);
        let scenarios: Vec<&str> = about.scenarios.iter().map(|scenario| scenario.id).collect();
        let sides: Vec<&str> = game.sides().iter().map(|side| side.as_str()).collect();
        diary.line(format!("Sides: {}. Scenarios: {}.", sides.join(", "), scenarios.join(", ")), &[]);
        page.section(game.id(), diary);
    }
    page.lead.push("`garcia games GAME` shows one in full; `garcia new GAME --solo` begins it.".into());
    page
}

fn in_full(game: &dyn Ruleset) -> Page {
    let about = game.about();
    let mut page = Page::new(format!("{} ({})", about.title, game.id()));
    page.lead.push(about.credits.into());
    let mut text = Diary::new();
    text.line(about.text, &[]);
    page.section("The game", text);
    let mut scenarios = Diary::new();
    for scenario in about.scenarios {
        scenarios.line(format!("{}: {}. {}", scenario.id, scenario.title, scenario.text), &[]);
    }
    page.section("Scenarios (--scenario)", scenarios);
    let mut options = Diary::new();
    for OptionInfo { name, values, text, clause } in about.options {
        options.line(format!("{name} = {}: {text}", values.join(" | ")), &[*clause]);
    }
    for (name, values, text) in COMMON_OPTIONS {
        options.line(format!("{name} = {}: {text}", values.join(" | ")), &[]);
    }
    page.section("Options (--option NAME=VALUE; the first value is the default)", options);
    let mut source = Diary::new();
    source.line(about.provenance, &[]);
    source.line("garcia is unofficial and not connected with the publishers. The published game is worth buying.", &[]);
    page.section("Where the numbers come from", source);
    page
}

fn describe(game: &dyn Ruleset) -> serde_json::Value {
    let about = game.about();
    let scenarios: Vec<_> = about
        .scenarios
        .iter()
        .map(|scenario| json!({ "id": scenario.id, "title": scenario.title, "text": scenario.text }))
        .collect();
    let option = |name: &str, values: &[&str], text: &str, clause: Option<&str>| json!({ "name": name, "values": values, "default": values.first(), "text": text, "clause": clause });
    let own = about.options.iter().map(|o| option(o.name, o.values, o.text, Some(o.clause.0)));
    let common = COMMON_OPTIONS.iter().map(|(name, values, text)| option(name, values, text, None));
    json!({
        "id": game.id(),
        "engine": game.engine(),
        "title": about.title,
        "credits": about.credits,
        "text": about.text,
        "provenance": about.provenance,
        "sides": game.sides(),
        "scenarios": scenarios,
        "options": own.chain(common).collect::<Vec<_>>(),
    })
}
