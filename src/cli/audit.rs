//! `garcia audit`: opens what was sealed after the end, and checks what the opponent opened.

use clap::Args;

use crate::trust::seat::Awaited;

use super::folder::GameFolder;
use super::post;
use super::{Done, Trouble, World};

/// After the end: open what was sealed here, and check what the opponent opened.
///
/// The audit proves every statement about hidden things that was made during the game. A game without it counts as
/// unaudited.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia audit          after the last result: sign the audit and make its mail
  garcia verify         checks both audits with everything open")]
pub struct Audit {
    /// Write the mail as a draft that mail programs open.
    #[arg(long)]
    eml: bool,
}

/// Signs the audit and makes the mail.
pub fn opened(eml: bool, world: &World) -> Result<Done, Trouble> {
    Audit { eml }.run(world)
}

impl Audit {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let mut folder = GameFolder::open(world)?;
        let made = folder.seat.advance()?;
        folder.save()?;
        let notes = match (made.is_empty(), folder.seat.ledger().awaited()) {
            (false, _) => "The audit is signed.\n".to_owned(),
            (true, Awaited::Nothing) => "All audits are in. `garcia verify` checks them.\n".to_owned(),
            (true, Awaited::Audit(who)) => format!("The audit of {who} is awaited.\n"),
            (true, _) => {
                return Err(Trouble::usage(
                    "the game is not over: nothing is opened before the end",
                    folder.next_line(),
                ));
            }
        };
        let posted = if made.is_empty() { None } else { folder.post(self.eml)? };
        post::answer(&folder, &notes, None, posted.as_ref(), world)
    }
}
