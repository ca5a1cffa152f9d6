//! `garcia luck`: was it bad luck or bad play?

use clap::Args;

use crate::engine::Effort;
use crate::play::{GLANCE, Luck as Reckoning};
use crate::report::luck::{luck_json, luck_page};
use crate::report::terminal;

use super::sight::Sight;
use super::{Done, Trouble, World};

/// Show how lucky each side has been: its dice against their mean, and its attacks against what they could have come to.
///
/// Every attack of the ledger is carried out again over all dice, with everything else as it was. Losses inflicted and
/// places taken are set beside what those very attacks were to be expected to bring, with the percentile: the share of
/// all matches with the same attacks that would have brought less.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia luck                     the match, turn by turn and attack by attack
  garcia luck --turn 3            one turn alone
  garcia luck --draws 4000        look closer where there are too many ways to count
  garcia luck --json              the same as fractions")]
pub struct Luck {
    /// Only this turn.
    #[arg(long, value_name = "N")]
    turn: Option<u32>,
    /// Where dice are drawn: how often for each packet.
    #[arg(long, value_name = "N", default_value_t = GLANCE.drawn)]
    draws: u32,
}

impl Luck {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let sight = Sight::open(world)?;
        let table = sight.table();
        let effort = Effort { drawn: self.draws.max(1), ..GLANCE };
        let played = sight.ledger.replay().played().iter().map(|span| &**span);
        let played = played.filter(|span| self.turn.is_none_or(|turn| table.turn(&span.base) == turn));
        let all = sight.ledger.replay().played().len();
        let counted = (1..).zip(played).map(|(number, span)| {
            world.progress.at(number, all);
            span
        });
        let luck = Reckoning::of(table, counted, &effort);
        if luck.rolls.is_empty() {
            return Err(Trouble::usage("nothing has been rolled yet", "`garcia status` says what is awaited"));
        }
        if world.json {
            return Done::json(&luck_json(table, &luck));
        }
        Ok(Done::good(terminal(&luck_page(table, &luck), world.look)))
    }
}
