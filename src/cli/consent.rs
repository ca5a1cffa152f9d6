//! `garcia accept` and `garcia decline`: the answer to a motion.

use clap::Args;

use super::folder::GameFolder;
use super::{Done, Trouble, World, motion, post};

/// Accept the motion on the table: it acts from this record on.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia accept --dry-run      what it would change, and the hash; nothing is signed
  garcia accept                sign the consent and make the mail")]
pub struct Accept {
    /// Only show what would change, and the hash.
    #[arg(long)]
    dry_run: bool,
    /// A remark for the record.
    #[arg(long)]
    note: Option<String>,
    /// Write the mail as a draft that mail programs open.
    #[arg(long)]
    eml: bool,
}

/// Decline the motion on the table: nothing changes, and the game goes on.
///
/// The one who moved it asks you nothing more until a turn has been played.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia decline
  garcia decline --note \"the fire was legal by 7.2\"")]
pub struct Decline {
    /// A remark for the record.
    #[arg(long)]
    note: Option<String>,
    /// Write the mail as a draft that mail programs open.
    #[arg(long)]
    eml: bool,
}

impl Accept {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let mut folder = GameFolder::open(world)?;
        let ledger = folder.seat.ledger();
        let moved = ledger.asked_of(folder.seat.role())?;
        let outlook = ledger.outlook_of_table()?;
        let told = motion::told(ledger, &moved.motion, outlook.as_ref());
        if self.dry_run {
            return motion::shown(told, outlook.as_ref(), "Nothing is signed. Without --dry-run you accept.", world);
        }
        folder.seat.answer_motion(true, self.note)?;
        folder.save()?;
        folder.write_up()?;
        let posted = folder.post(self.eml)?;
        let notes = format!("{told}You accept: it acts from this record on.\n");
        post::answer(&folder, &notes, None, posted.as_ref(), world)
    }
}

impl Decline {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let mut folder = GameFolder::open(world)?;
        folder.seat.ledger().asked_of(folder.seat.role())?;
        folder.seat.answer_motion(false, self.note)?;
        folder.save()?;
        folder.write_up()?;
        let posted = folder.post(self.eml)?;
        post::answer(&folder, "You decline: nothing changes.\n", None, posted.as_ref(), world)
    }
}
