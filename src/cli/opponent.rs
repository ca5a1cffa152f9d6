//! An opponent who is always there: in a solo game the program plays the other sides with the game's sensible player.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::engine::{Ruleset, Side};
use crate::play::sensible;
use crate::report::Page;
use crate::trust::store::{Readers, write_whole};

use super::folder::GameFolder;
use super::{Trouble, World};

/// Where a game folder keeps who plays which side.
const OPPONENT: &str = "opponent.yaml";
/// The one opponent there is.
pub const SENSIBLE: &str = "sensible";
/// No packet is followed by so many of the program's own.
const MOST_PACKETS: usize = 100;

/// Notes that the program plays every side but one.
pub fn appoint(folder: &Path, game: &dyn Ruleset, own: Side) -> Result<(), Trouble> {
    let mut text = String::from("# Who plays which side; `garcia resolve` plays the sides that are not yours.\n");
    for side in game.sides() {
        text.push_str(&format!("{side}: {}\n", if *side == own { "you" } else { SENSIBLE }));
    }
    write_whole(&folder.join(OPPONENT), text.as_bytes(), Readers::Anyone)?;
    Ok(())
}

/// The side of the person in a folder where the program plays the others; none where he plays all of them.
pub fn own_side(folder: &Path, game: &dyn Ruleset) -> Option<Side> {
    let text = fs::read_to_string(folder.join(OPPONENT)).ok()?;
    let line = |line: &str| line.split_once(':').map(|(side, who)| (side.trim().to_owned(), who.trim().to_owned()));
    let said: BTreeMap<String, String> = text.lines().filter(|line| !line.starts_with('#')).filter_map(line).collect();
    let is_own = |side: &&Side| said.get(side.as_str()).is_some_and(|who| who != SENSIBLE);
    let mut own = game.sides().iter().filter(is_own);
    let plays = said.values().any(|who| who == SENSIBLE);
    own.next().copied().filter(|_| plays)
}

/// Whether the program has to say something now.
pub fn is_due(folder: &GameFolder) -> bool {
    let game = folder.seat.ledger().replay().table().ruleset();
    let own = own_side(&folder.path, game);
    own.is_some() && folder.seat.to_decide().is_some_and(|side| Some(side) != own)
}

/// Lets the program play until the person is due: orders, set-ups and answers. The report of each packet.
pub fn play(folder: &mut GameFolder) -> Result<Vec<Page>, Trouble> {
    let mut pages = Vec::new();
    while is_due(folder) && pages.len() < MOST_PACKETS {
        let Some(side) = folder.seat.to_decide() else { break };
        let said = sensible(folder.seat.ledger(), side).map_err(|why| {
            let remedy = "play the side yourself: take its line out of opponent.yaml";
            Trouble::usage(format!("the sensible player of {side} has no legal orders here: {why}"), remedy)
        })?;
        folder.seat.send(&said)?;
        folder.save()?;
        folder.seat.advance()?;
        folder.save()?;
        pages.extend(folder.sight().turn_report().map(|report| report.page()));
    }
    Ok(pages)
}

/// The reports of what the program did, as text.
pub fn told(pages: &[Page], world: &World) -> String {
    pages.iter().map(|page| format!("{}\n", crate::report::terminal(page, world.look))).collect()
}
