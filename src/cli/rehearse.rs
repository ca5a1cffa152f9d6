//! `garcia rehearse`: a match between two folders by mail, as the examples show it.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::engine::Charter;
use crate::engine::dice::Chance;
use crate::play::{at_random, sensible};
use crate::trust::home::Home;
use crate::trust::ledger::Terms;
use crate::trust::seat::Seat;
use crate::trust::store::{Lock, Readers, write_whole};

use super::folder::{self, GameFolder};
use super::post::read_mail;
use super::sight::{self, Sight};
use super::{Done, Trouble, World, exit};

/// Play a match between two folders with separate secrets, by mail files alone.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia rehearse santiago-1898 match --seed 7 --home secrets")]
pub struct Rehearse {
    /// Which game.
    game: String,
    /// The folder for both players' folders and the mails.
    folder: PathBuf,
    /// The players choose by this word, and their keys are made from it: the same word gives the same match.
    #[arg(long, default_value = "1898")]
    seed: String,
    /// The scenario.
    #[arg(long)]
    scenario: Option<String>,
    /// An option of the game.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Play with plain sensible players, where the game has them.
    #[arg(long)]
    sensible: bool,
    /// Stop after this many mails.
    #[arg(long, default_value_t = 200)]
    mails: usize,
}

impl Rehearse {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let game = sight::ruleset(&self.game)?;
        let mut charter = Charter { scenario: self.scenario.clone().unwrap_or_default(), ..Charter::default() };
        for option in &self.options {
            if let Some((name, value)) = option.split_once('=') {
                charter.options.insert(name.to_owned(), value.to_owned());
            }
        }
        if charter.scenario.is_empty() {
            charter.scenario = game.about().scenarios.first().map(|info| info.id.to_owned()).unwrap_or_default();
        }
        let sides: Vec<&str> = game.sides().iter().map(|side| side.as_str()).collect();
        let worlds: Vec<World> = sides.iter().map(|side| self.world_of(side, world)).collect();
        let mut chance = Chance::new(&self.seed);
        let table = game.open(&charter).map_err(Trouble::refused)?;
        let terms = Terms { charter, ask: true, max_asks: None, note: None, ..Terms::default() };
        let (Some(first), Some(second)) = (worlds.first(), worlds.get(1)) else {
            return Err(Trouble::usage("this game has not two sides", "choose another"));
        };
        let role = sides.first().and_then(|side| side.parse().ok()).ok_or_else(|| Trouble::bug("no role"))?;
        let folder = first.game.clone().unwrap_or_default();
        let home = self.home(first, &folder)?;
        let seat = Seat::offer(table, &role, terms, &home)?;
        let mut folder = GameFolder::of(folder.clone(), seat, &home, Lock::take(&folder)?);
        folder.save()?;
        let mut mail = self.post(&folder, 0)?;
        drop(folder);
        let folder = second.game.clone().unwrap_or_default();
        let offer = read_mail(std::slice::from_ref(&mail))?.records;
        let home = self.home(second, &folder)?;
        let seat = Seat::join(offer, None, &|genesis| folder::lay(&folder, genesis), &home)?;
        let mut folder = GameFolder::of(folder.clone(), seat, &home, Lock::take(&folder)?);
        folder.save()?;
        drop(folder);
        let mut sent = 1;
        let mut at = 1;
        let mut idle = 0;
        while sent < self.mails && idle < 2 {
            world.progress.at(sent, self.mails);
            let Some(here) = worlds.get(at) else { break };
            let mut folder = GameFolder::open(here)?;
            let records = read_mail(std::slice::from_ref(&mail))?.records;
            folder.seat.receive(records);
            folder.save()?;
            let mut made = folder.seat.advance()?.len();
            while let Some(side) = folder.seat.to_decide() {
                let said = if self.sensible {
                    sensible(folder.seat.ledger(), side)
                } else {
                    at_random(folder.seat.ledger(), side, 12, &mut chance)
                };
                let said = said.map_err(Trouble::bug)?;
                folder.seat.send(&said)?;
                made += 1 + folder.seat.advance()?.len();
            }
            folder.save()?;
            folder.write_up()?;
            if made > 0 || sent == 1 {
                mail = self.post(&folder, sent)?;
                sent += 1;
                idle = 0;
            } else {
                idle += 1;
            }
            at = 1 - at;
        }
        let sight = Sight::open(first)?;
        let verdict = sight.table().verdict(sight.view(None).state).map(|verdict| verdict.text);
        let records = sight.ledger.records().len();
        Ok(Done::good(format!("{sent} mails, {records} records. {}\n", verdict.unwrap_or_default())).with(exit::GOOD))
    }

    fn world_of(&self, side: &str, world: &World) -> World {
        let home = world.home.clone().unwrap_or_else(|| self.folder.join("secrets"));
        World { game: Some(self.folder.join(side)), home: Some(home.join(side)), ..world.clone() }
    }

    fn home(&self, world: &World, folder: &Path) -> Result<Home, Trouble> {
        let home = folder::home(world, folder)?;
        let side = folder.file_name().unwrap_or_default();
        Ok(Home::seeded(home.path(), &format!("{} {}", self.seed, side.display())))
    }

    /// Puts the mail where both can see it and gives back its file.
    fn post(&self, folder: &GameFolder, number: usize) -> Result<PathBuf, Trouble> {
        let posted = folder.post(true)?.ok_or_else(|| Trouble::bug("nothing to send"))?;
        let file = posted.files.first().ok_or_else(|| Trouble::bug("a mail without a file"))?;
        let bytes = fs::read(file).map_err(|error| Trouble::unreadable(file, &error))?;
        let name = format!("{number:02}-{}.eml", folder.seat.role());
        let path = self.folder.join("mails").join(name);
        write_whole(&path, &bytes, Readers::Anyone)?;
        remove_outbox(&folder.path);
        Ok(path)
    }
}

/// The mails of both stand together; what lies in the outbox would be the same once more.
fn remove_outbox(folder: &Path) {
    fs::remove_dir_all(folder.join(folder::OUTBOX)).ok();
}
