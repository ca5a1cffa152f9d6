//! `garcia join`: accepts an offer.

use std::path::PathBuf;

use clap::Args;

use crate::trust::data::Genesis;
use crate::trust::ledger::Ledger;
use crate::trust::replay::Vision;
use crate::trust::seat::Seat;
use crate::trust::store::{Lock, Readers, write_whole};

use super::folder::{self, DATA, GameFolder, ORDERS, folder_for};
use super::post::{self, Arrived, read_mail};
use super::{Done, Trouble, World, new, seats, terms};

/// Accept an offer to play.
///
/// Reads the offer out of the file or mail it came in, makes a folder for the game and signs the acceptance. Your own
/// chain of dice is fixed now, before the first orders.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia join 0000-garcia.txt --terms          what is offered, before anything is signed
  garcia join 0000-garcia.txt                  accept it: the attachment of the offer
  garcia join offer.eml --folder kettle-hill   out of a saved mail, into the folder kettle-hill
  garcia join offer.txt --data my-transcription   the game is played with data files of your own")]
pub struct Join {
    /// The offer: a record file, a text or a saved mail; `-` reads standard input.
    #[arg(required = true)]
    offer: Vec<PathBuf>,
    /// The folder to make; otherwise it is named after the game.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// The data files the game is played with, if they are not garcia's own.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Only show what is offered: scenario, options, mode, data and keys. Nothing is signed.
    #[arg(long)]
    terms: bool,
    /// Make a recovery key as well and print it: with it you can take your seat again if your key is lost.
    #[arg(long)]
    recovery: bool,
}

impl Join {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        if let [offer, .., folder] = self.offer.as_slice()
            && !folder.exists()
        {
            let (offer, folder) = (offer.display(), folder.display());
            let remedy = format!("to name the folder of the game, write: garcia join {offer} --folder {folder}");
            return Err(Trouble::usage(format!("there is no file {folder}"), remedy));
        }
        let Arrived { records, troubles, .. } = read_mail(&self.offer)?;
        let Some(genesis) = records.iter().find(|record| record.body().seq == 0) else {
            return Err(Trouble::usage("there is no offer in it", "ask for record 0, the genesis"));
        };
        let game = genesis.id();
        let id = genesis.body().data.get("ruleset").and_then(|id| id.as_str()).unwrap_or_default().to_owned();
        let ruleset = super::sight::ruleset(&id)?;
        let folder = self.folder.clone().unwrap_or_else(|| PathBuf::from(ruleset.id()));
        let mut offered: Vec<_> =
            records.into_iter().filter(|r| r.body().seq == 0 || r.body().game == Some(game)).collect();
        offered.sort_by_key(|record| record.body().seq);
        // The acceptance comes to what was offered.
        folder_for(&folder, &offered, offered.len() + 1)?;
        let data = self.data.as_deref().map(folder::data_files).transpose()?.unwrap_or_default();
        let lay = |genesis: &Genesis| folder::lay_with(genesis, data.clone());
        let offer = Ledger::read(offered.clone(), lay, Vision::public())?;
        let mut notes: String = troubles.iter().map(|trouble| format!("{trouble}\n")).collect();
        notes.push_str("You are offered:\n");
        let terms = terms::lines(offer.protocol(), offer.replay().table());
        notes.extend(terms.iter().map(|line| format!("  {line}\n")));
        if self.terms {
            return Ok(Done::good(notes + "Nothing is signed. Without --terms you accept.\n"));
        }
        let home = folder::home(world, &folder)?;
        let held = Lock::take(&folder)?;
        for (name, text) in &data {
            write_whole(&folder.join(DATA).join(name), text.as_bytes(), Readers::Anyone)?;
        }
        let mut recovery = None;
        if self.recovery {
            let (key, text) = seats::new_recovery()?;
            notes.push_str(&text);
            recovery = Some(key.public());
        }
        let seat = Seat::join_with(offered, None, recovery, &lay, &home)?;
        let signed = seat.ledger().records().last().and_then(|join| join.body().data.get("recovery"));
        if recovery.map(|key| key.to_string()).as_deref() != signed.and_then(|key| key.as_str()) {
            notes.push_str(match signed {
                Some(_) => "You had accepted already: the recovery key of the first time counts, not this one.\n",
                None => "You had accepted already, without a recovery key: this one is of no use.\n",
            });
        }
        new::write_schemas(&folder, ruleset)?;
        std::fs::create_dir_all(folder.join(ORDERS))
            .map_err(|error| Trouble::new(super::exit::NO_OUTPUT, error.to_string(), "see that the disk has room"))?;
        let mut folder = GameFolder::of(folder, seat, &home, held);
        folder.save()?;
        folder.write_up()?;
        let posted = folder.post(false)?;
        notes.push_str(&format!(
            "That is what you accept by mailing what is signed here.\n\
             You play {} in {}/. Your key begins {}\n\
             (`garcia status` shows all keys: compare them by telephone once).\n",
            folder.seat.role(),
            folder.path.display(),
            folder::spelled(&folder.seat.fingerprint())
        ));
        if folder.seat.to_decide().is_some() {
            notes.push_str("You have the first move: mail your acceptance now, or give your orders first; then one mail carries both.\n");
        }
        post::answer(&folder, &notes, None, posted.as_ref(), world)
    }
}
