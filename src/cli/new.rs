//! `garcia new`: begins a game.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use serde_json::json;

use crate::engine::doc::{did_you_mean, nearest};
use crate::engine::{Charter, Ruleset, Side};
use crate::trust::ledger::{Company, Terms};
use crate::trust::role::Role;
use crate::trust::seat::{Awaited, Seat};
use crate::trust::store::{Lock, Readers, write_whole};

use super::folder::{self, DATA, GameFolder, ORDERS, SCHEMAS, fresh_folder};
use super::games::COMMON_OPTIONS;
use super::post;
use super::sight::{Sight, ruleset};
use super::{Done, Trouble, World, opponent, schemas, seats};

/// Begin a game.
///
/// Makes a folder with the ledger, the state and a place for your order files. Your key and the secret behind the dice
/// are kept elsewhere (--home), so the folder may be handed on.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("mode").required(true).multiple(true),
    after_help = "Examples:
  garcia new santiago-1898 --solo
  garcia new santiago-1898 --solo --against sensible --as us  garcia plays the other side
  garcia new santiago-1898 kettle-hill --solo --scenario historical --option packets=phases
  garcia new santiago-1898 --as us                            offer a game to an opponent
  garcia new santiago-1898 --gm --players us,spain            game master with two players who sign
  garcia new santiago-1898 --solo --data my-transcription     play with your own map and counters"
)]
pub struct New {
    /// Which game; `garcia games` lists them.
    game: String,
    /// The folder to make; otherwise it is named after the game.
    folder: Option<PathBuf>,
    /// Play all sides yourself, with dice committed before the first turn.
    #[arg(long, group = "mode")]
    solo: bool,
    /// With --solo: who plays the side that you do not; otherwise you play all of them.
    #[arg(long, value_name = "PLAYER", value_parser = [opponent::SENSIBLE], requires = "solo")]
    against: Option<String>,
    /// Offer a game to an opponent and play this side; with --against, the side that you play.
    #[arg(long = "as", group = "mode", value_name = "SIDE")]
    side: Option<String>,
    /// Be the game master: you close every turn with your own dice chain.
    #[arg(long, group = "mode", conflicts_with_all = ["solo", "side"])]
    gm: bool,
    /// With --gm: the sides whose players sign for themselves, in joining order; you enter the orders of the others.
    #[arg(long, value_name = "SIDES", value_delimiter = ',', requires = "gm")]
    players: Vec<String>,
    /// With --gm, where every side signs: what lies face down is sealed, and only you and its owner can read it.
    #[arg(long, requires = "players")]
    private: bool,
    /// The scenario; the game's first if left out.
    #[arg(long, value_name = "ID")]
    scenario: Option<String>,
    /// An option of the game; may be given several times.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// A folder with data files of your own instead of the game's.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// A remark for the first record.
    #[arg(long)]
    note: Option<String>,
    /// The public key of a director, who can finish the game for a player who falls silent (`garcia direct key`).
    #[arg(long, value_name = "KEY", conflicts_with = "solo")]
    director: Option<String>,
    /// Make a recovery key as well and print it: with it you can take your seat again if your key is lost.
    #[arg(long)]
    recovery: bool,
}

/// Begins a solo game against the sensible player.
pub fn against_sensible(game: &str, side: &str, folder: &Path, world: &World) -> Result<Done, Trouble> {
    let new = New {
        game: game.to_owned(),
        folder: Some(folder.to_owned()),
        solo: true,
        against: Some(opponent::SENSIBLE.to_owned()),
        side: Some(side.to_owned()),
        gm: false,
        players: Vec::new(),
        private: false,
        scenario: None,
        options: Vec::new(),
        data: None,
        note: None,
        director: None,
        recovery: false,
    };
    new.run(world)
}

impl New {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let game = ruleset(&self.game)?;
        let mut terms = self.terms(game)?;
        let mut printed = String::new();
        if self.recovery {
            let (key, text) = seats::new_recovery()?;
            (terms.recovery, printed) = (Some(key.public()), text);
        }
        self.check_private(game)?;
        let own = self.own_side(game)?;
        let table = game.open(&terms.charter).map_err(Trouble::refused)?;
        let folder = self.folder.clone().unwrap_or_else(|| PathBuf::from(game.id()));
        fresh_folder(&folder).map_err(|mut trouble| {
            trouble.remedy = format!("name another folder: `garcia new {} FOLDER …`", game.id());
            trouble
        })?;
        let home = folder::home(world, &folder)?;
        let held = Lock::take(&folder)?;
        for (name, text) in &terms.charter.data {
            write_whole(&folder.join(DATA).join(name), text.as_bytes(), Readers::Anyone)?;
        }
        write_schemas(&folder, game)?;
        std::fs::create_dir_all(folder.join(ORDERS))
            .map_err(|error| Trouble::new(super::exit::NO_OUTPUT, format!("{error}"), "see that the disk has room"))?;
        let seat = match (&self.side, self.gm) {
            _ if self.solo => {
                if let Some(own) = own {
                    opponent::appoint(&folder, game, own)?;
                }
                let mut folder = GameFolder::of(folder, Seat::begin(table, Company::Solo, terms, &home)?, &home, held);
                folder.save()?;
                folder.write_up()?;
                let path = folder.path.clone();
                drop(folder);
                // Sits down again, so that what the opponent does first is told as any other turn.
                let mut folder = GameFolder::open(&World { game: Some(path), ..world.clone() })?;
                let pages = opponent::play(&mut folder)?;
                folder.write_up()?;
                let mut done = answer(&folder.sight(), own, world)?;
                if !world.json {
                    done.text.insert_str(0, &format!("{printed}{}", opponent::told(&pages, world)));
                }
                return Ok(done);
            }
            (None, false) => return Err(Trouble::bug("a game without a mode")),
            (Some(side), _) => Seat::offer(table, &seat_role(game, side)?, terms, &home)?,
            (None, true) => {
                let players = self.players.iter().map(|side| seat_role(game, side)).collect::<Result<Vec<_>, _>>()?;
                match self.private {
                    true => Seat::host_privately(table, players, terms, &home)?,
                    false => Seat::host(table, players, terms, &home)?,
                }
            }
        };
        offered(GameFolder::of(folder, seat, &home, held), &printed, world)
    }

    /// The side that is played against the program.
    fn own_side(&self, game: &dyn Ruleset) -> Result<Option<Side>, Trouble> {
        match (&self.against, &self.side) {
            (Some(_), Some(side)) => known_side(game, side).map(Some),
            (Some(_), None) => Ok(game.sides().first().copied()),
            (None, Some(side)) if self.solo => {
                let what = "alone you play all sides";
                Err(Trouble::usage(
                    what,
                    format!("`--solo --against sensible --as {side}` lets garcia play the others"),
                ))
            }
            (None, _) => Ok(None),
        }
    }

    /// What a game master enters for a side that does not sign stands in the ledger for everybody to read.
    fn check_private(&self, game: &dyn Ruleset) -> Result<(), Trouble> {
        let sides: Vec<&str> = game.sides().iter().map(|side| side.as_str()).collect();
        if !self.private || sides.iter().all(|side| self.players.iter().any(|player| player == side)) {
            return Ok(());
        }
        let remedy = format!("let every side sign: --players {}", sides.join(","));
        Err(Trouble::usage("with --private every side has to sign for itself", remedy))
    }

    /// Scenario, options and data as asked for.
    fn terms(&self, game: &dyn Ruleset) -> Result<Terms, Trouble> {
        let about = game.about();
        let scenario = match &self.scenario {
            None => about.scenarios.first().map(|scenario| scenario.id.to_owned()).unwrap_or_default(),
            Some(id) => {
                known_scenario(game, id)?;
                id.clone()
            }
        };
        let charter = Charter { scenario, ..Charter::default() };
        let mut terms = Terms { charter, ask: true, max_asks: None, note: self.note.clone(), ..Terms::default() };
        if let Some(key) = &self.director {
            let wrong =
                |_| Trouble::usage(format!("`{key}` is no key"), "64 digits, as `garcia direct key` prints them");
            terms.director = Some(key.parse().map_err(wrong)?);
        }
        for option in &self.options {
            set(&mut terms, game, option)?;
        }
        if let Some(folder) = &self.data {
            terms.charter.data = folder::data_files(folder)?;
            if terms.charter.data.is_empty() {
                let what = format!("there are no data files in {}", folder.display());
                return Err(Trouble::usage(what, "name a folder with files like map.yaml and counters.yaml"));
            }
        }
        Ok(terms)
    }
}

/// Sets an option of the game or of the protocol.
fn set(terms: &mut Terms, game: &dyn Ruleset, option: &str) -> Result<(), Trouble> {
    let Some((name, value)) = option.split_once('=') else {
        return Err(Trouble::usage(format!("`{option}` is not NAME=VALUE"), "write `--option questions=default`"));
    };
    let wrong = |values: &[&str]| unknown(&format!("value of {name}"), value, values);
    match name {
        "questions" => match value {
            "ask" => terms.ask = true,
            "default" => terms.ask = false,
            _ => return Err(wrong(&["ask", "default"])),
        },
        "max-asks" => match value {
            "none" => terms.max_asks = None,
            _ => terms.max_asks = Some(value.parse().map_err(|_| wrong(&["none", "0", "1", "2"]))?),
        },
        _ => {
            let options = game.about().options;
            let Some(info) = options.iter().find(|info| info.name == name) else {
                let own = options.iter().map(|info| info.name);
                let known: Vec<&str> = own.chain(COMMON_OPTIONS.iter().map(|(name, ..)| *name)).collect();
                return Err(unknown("option", name, &known));
            };
            if !info.values.contains(&value) {
                return Err(wrong(info.values));
            }
            terms.charter.options.insert(name.to_owned(), value.to_owned());
        }
    }
    Ok(())
}

/// The role of a side that is to be played.
fn seat_role(game: &dyn Ruleset, side: &str) -> Result<Role, Trouble> {
    known_side(game, side)?.as_str().parse().map_err(|_| Trouble::bug("a side that is no role"))
}

/// Is there such a side?
pub fn known_side(game: &dyn Ruleset, side: &str) -> Result<Side, Trouble> {
    let known: Vec<&str> = game.sides().iter().map(|side| side.as_str()).collect();
    game.side(side).ok_or_else(|| unknown("side", side, &known))
}

/// What to do with an offer.
fn offered(mut folder: GameFolder, printed: &str, world: &World) -> Result<Done, Trouble> {
    folder.save()?;
    folder.write_up()?;
    // A game master whose players do not sign has nobody to mail an offer to.
    let alone = matches!(folder.seat.ledger().awaited(), Awaited::Packet { .. });
    let posted = if alone { None } else { folder.post(false)? };
    let notes = format!(
        "{printed}The game is laid out in {}/. You are {}. Your key begins {}\n\
         (`garcia status` shows all keys: compare them by telephone once).\n",
        folder.path.display(),
        folder.seat.role(),
        folder::spelled(&folder.seat.fingerprint())
    );
    post::answer(&folder, &notes, None, posted.as_ref(), world)
}

/// Is there such a scenario?
pub fn known_scenario(game: &dyn Ruleset, id: &str) -> Result<(), Trouble> {
    let known: Vec<&str> = game.about().scenarios.iter().map(|scenario| scenario.id).collect();
    if known.contains(&id) { Ok(()) } else { Err(unknown("scenario", id, &known)) }
}

fn unknown(what: &str, said: &str, known: &[&str]) -> Trouble {
    let list = format!("there is {}", known.join(", "));
    let remedy = match did_you_mean(&nearest(said, known.iter().copied())) {
        Some(meant) => format!("{meant} {list}"),
        None => list,
    };
    Trouble::usage(format!("there is no {what} `{said}`"), remedy)
}

/// Puts the schemas of the game's order files where editors find them.
pub fn write_schemas(folder: &Path, game: &dyn Ruleset) -> Result<(), Trouble> {
    for (name, schema) in schemas::order_files(game) {
        write_whole(&folder.join(SCHEMAS).join(name), format!("{schema:#}\n").as_bytes(), Readers::Anyone)?;
    }
    Ok(())
}

fn answer(sight: &Sight, own: Option<Side>, world: &World) -> Result<Done, Trouble> {
    let folder = sight.folder.display().to_string();
    let stop = sight.stop();
    if world.json {
        let files: BTreeMap<&str, String> = BTreeMap::from([("folder", folder), ("game", sight.game_id().into())]);
        let who = stop.who().map(|side| side.as_str());
        return Done::json(&json!({ "ok": true, "files": files, "due": { "who": who, "ask": stop.ask() } }));
    }
    let who = stop.who().map_or("", |side| side.as_str());
    let against = match own {
        Some(own) => format!("You play {own}; garcia plays the other side after each of your files.\n"),
        None => String::new(),
    };
    Ok(Done::good(format!(
        "{}\nA game is laid out in {folder}/ (match {}). {}\n{against}\n\
         First come the `{}` orders of {who}:\n  \
           cd {folder}\n  \
           garcia template --write     an order file for this very moment, to edit\n  \
           garcia check FILE           all mistakes at once\n  \
           garcia resolve FILE         roll, write the new state and the report\n",
        sight.table().headline(sight.view(None).state),
        sight.game_id().get(..8).unwrap_or_default(),
        sight.dice_line(),
        stop.ask(),
    )))
}
