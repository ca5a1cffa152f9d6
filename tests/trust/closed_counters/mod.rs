//! End of Empire, where both armies march under closed counters: what the opponent holds tells him nothing that was not
//! shown or stated, whoever lies about a counter is found out, and it does not matter who closes the packets.

mod exchange;
mod lies;
mod mailed;
mod script;

use garcia::engine::{Match, Side};
use garcia::games;

const US: Side = Side("us");
const SPAIN: Side = Side("spain");
const GAME: &str = "end-of-empire";

fn table(options: &[(&str, &str)]) -> Box<dyn Match> {
    let charter = crate::players::charter_of("campaign", options);
    games::find(GAME).expect("a game").open(&charter).expect("a table")
}
