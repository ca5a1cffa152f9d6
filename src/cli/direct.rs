//! `garcia direct`: the third person beside two players.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::trust::data::{Genesis, Mode};
use crate::trust::role::Role;
use crate::trust::seat::Seat;
use crate::trust::store::Lock;

use super::folder::{self, GameFolder, folder_for};
use super::post::{self, Arrived, read_mail};
use super::seats::{moved, paper_of};
use super::{Done, Trouble, World};

/// Be the director of a game between two players: hold their deposits, answer where you are asked, finish for the silent.
///
/// You never give orders. Without a deposit you can close nothing, and a takeback is never yours to grant.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia direct key                                   your public key, for `garcia new … --director KEY`
  garcia direct sit mail.txt --folder match           sit down; both players copy their mails to you
  garcia direct close --for spain --notice n.txt      close a turn for a player who fell silent
  garcia direct decline --for spain --notice n.txt    decline a motion for him

`garcia receive` takes records, deposits and notices; `garcia accept` and `garcia decline` answer what is moved to you.")]
pub struct Direct {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Your public key.
    Key,
    /// Sit down at a game that names you.
    Sit {
        /// The first mails of the game.
        #[arg(required = true)]
        mails: Vec<PathBuf>,
        /// The folder to make.
        #[arg(long, value_name = "DIR")]
        folder: PathBuf,
    },
    /// Close a turn for a player who fell silent, from his deposit.
    Close(ForSilent),
    /// Decline a motion for a player who does not answer.
    Decline(ForSilent),
}

#[derive(Debug, Args)]
struct ForSilent {
    /// The player.
    #[arg(long = "for", value_name = "SIDE")]
    side: String,
    /// The notice of the one who waits.
    #[arg(long, value_name = "FILE")]
    notice: PathBuf,
    /// Write the mail as a draft that mail programs open.
    #[arg(long)]
    eml: bool,
}

impl Direct {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        match self.what {
            What::Key => {
                let home = crate::trust::home::Home::find(world.home.as_deref())?;
                Ok(Done::good(format!("{}\n", home.identity()?.public())))
            }
            What::Sit { mails, folder } => sit(&mails, folder, world),
            What::Close(silent) => silent.run(false, world),
            What::Decline(silent) => silent.run(true, world),
        }
    }
}

fn sit(mails: &[PathBuf], folder: PathBuf, world: &World) -> Result<Done, Trouble> {
    let Arrived { mut records, troubles, .. } = read_mail(mails)?;
    records.sort_by_key(|record| record.body().seq);
    folder_for(&folder, &records, records.len())?;
    let home = folder::home(world, &folder)?;
    let held = Lock::take(&folder)?;
    let lay = |genesis: &Genesis| folder::lay_with(genesis, Default::default());
    let seat = Seat::direct(records, &lay, &home)?;
    let mut folder = GameFolder::of(folder, seat, &home, held);
    folder.save()?;
    folder.write_up()?;
    let mut notes: String = troubles.iter().map(|trouble| format!("{trouble}\n")).collect();
    notes.push_str(match folder.seat.ledger().protocol().mode() {
        Mode::Gm => {
            "You are the director. The game master copies his mails to you, each with a deposit; the players theirs.\n"
        }
        _ => "You are the director. Both players copy their mails to you, each with a deposit.\n",
    });
    post::answer(&folder, &notes, None, None, world)
}

impl ForSilent {
    fn run(self, declines: bool, world: &World) -> Result<Done, Trouble> {
        let mut folder = GameFolder::open(world)?;
        if *folder.seat.role() != Role::director() {
            return Err(Trouble::usage("only the director signs for somebody else", "ask him"));
        }
        let role: Role =
            self.side.parse().map_err(|error| Trouble::usage(format!("{error}"), "name the player: --for us"))?;
        let notice = paper_of(&self.notice)?.to_json();
        match declines {
            true => folder.seat.decline_for(&role, notice)?,
            false => folder.seat.close_for(&role, notice)?,
        };
        let told = match declines {
            true => format!("Declined for {role}.\n"),
            false => format!("Closed for {role}, with the link he had deposited.\n"),
        };
        if declines {
            return moved(folder, &told, self.eml, world);
        }
        folder.save()?;
        let written = folder.write_up()?;
        let posted = folder.post(self.eml)?;
        post::answer(&folder, &told, written.as_ref(), posted.as_ref(), world)
    }
}
