//! The map in characters: five columns and two lines a hex, rows shifted as on the sheet.

use crate::board::{Grid, Hex};
use crate::engine::doc::{DocPath, Fault, FromDoc, Node, Reader};
use crate::engine::{Patch, Picture, Seen, Tone, Window};

use super::position::Position;
use super::state::State;
use super::terms::{Arm, Force, Terrain};
use super::{SPAIN, SplendidLittleWar, US};

const WIDTH: usize = 5;

/// Draws the map or a part of it.
pub fn picture(game: &SplendidLittleWar, seen: &Seen<'_, State>, window: &Window) -> Result<Picture, Fault> {
    let now = Position { game, state: seen.state };
    let data = &game.data;
    let centre = match &window.centre {
        None => None,
        Some(text) => {
            let mut reader = Reader::new(game);
            match Hex::read(&Node::text(text.as_str()), &DocPath::root(), &mut reader) {
                Some(hex) => Some(hex),
                None => {
                    let fault = || Fault::new(&DocPath::root(), "no such hex", "name a hex");
                    return Err(reader.faults.into_iter().next().unwrap_or_else(fault));
                }
            }
        }
    };
    let radius = i32::try_from(window.radius.unwrap_or(5)).unwrap_or(5);
    let far = |a: u16, b: u16| (i32::from(a) - i32::from(b)).abs();
    let shown = |hex: &Hex| match centre {
        Some(centre) => far(hex.first(), centre.first()) <= radius && far(hex.second(), centre.second()) <= radius + 1,
        None => true,
    };
    let cells: Vec<Hex> = data.grid.cells().filter(shown).collect();
    let first_column = cells.iter().map(|hex| hex.second()).min().unwrap_or(1);
    let mut rows: Vec<u16> = cells.iter().map(|hex| hex.first()).collect();
    rows.sort_unstable();
    rows.dedup();
    let mut picture = Picture::default();
    for row in rows.into_iter().rev() {
        let hexes: Vec<Hex> = cells.iter().copied().filter(|hex| hex.first() == row).collect();
        // Even rows lie half a hex farther east.
        let shift = if row % 2 == 0 { WIDTH.div_ceil(2) } else { 0 };
        let lead = hexes.first().map_or(0, |hex| usize::from(hex.second() - first_column)) * WIDTH;
        let margin = || Patch { text: " ".repeat(shift + lead), tone: Tone::Plain };
        let mut ground = vec![Patch { text: format!("{row:02} "), tone: Tone::Faint }, margin()];
        let mut troops = vec![Patch { text: "   ".into(), tone: Tone::Faint }, margin()];
        for hex in hexes {
            ground.push(terrain_patch(&now, hex));
            troops.push(troops_patch(&now, hex));
        }
        picture.lines.push(ground);
        picture.lines.push(troops);
    }
    picture.legend = vec![
        "first line of a hex: column and terrain: . clear, \" jungle, ^ hill, % swamp, o lake, v village, C city, ~ harbor; = road, - trail".into(),
        "works: F fort, B blockhouse, E entrenchment; + last occupied by the US".into(),
        "second line: u US, c Cuban, s Spanish combat units, ! if one is Broken; L leader, @ balloon".into(),
    ];
    Ok(picture)
}

fn terrain_patch(now: &Position<'_>, hex: Hex) -> Patch {
    let data = now.data();
    let (sign, tone) = match data.terrain(hex) {
        Terrain::Clear => ('.', Tone::Plain),
        Terrain::Jungle => ('"', Tone::Green),
        Terrain::Swamp => ('%', Tone::Green),
        Terrain::Hill => ('^', Tone::Brown),
        Terrain::Lake => ('o', Tone::Water),
        Terrain::Village => ('v', Tone::Built),
        Terrain::City => ('C', Tone::Built),
        Terrain::Harbor => ('~', Tone::Water),
    };
    let Some(ground) = data.ground(hex).filter(|_| data.is_land(hex)) else {
        return Patch { text: format!("{sign:^WIDTH$}"), tone };
    };
    let work = match ground {
        _ if ground.fort => 'F',
        _ if ground.blockhouse => 'B',
        _ if now.state.entrenchments.contains(&hex) => 'E',
        _ if ground.road => '=',
        _ if ground.trail => '-',
        _ => ' ',
    };
    let flag = if now.state.us_held.contains(&hex) { '+' } else { ' ' };
    Patch { text: format!("{:02}{sign}{work}{flag}", hex.second()), tone }
}

fn troops_patch(now: &Position<'_>, hex: Hex) -> Patch {
    let (mut text, mut tone) = (String::new(), Tone::Plain);
    for (side, force, sign, colour) in [
        (US, Force::Us, 'u', Tone::First),
        (US, Force::Cuban, 'c', Tone::Third),
        (SPAIN, Force::Spanish, 's', Tone::Second),
    ] {
        let stack: Vec<_> = (now.stack(hex, side).into_iter())
            .filter(|id| now.unit(*id).is_some_and(|unit| unit.force == force))
            .collect();
        if stack.is_empty() {
            continue;
        }
        tone = colour;
        let fighters = stack.iter().filter(|id| now.is_combat(**id)).count();
        if fighters > 0 {
            text.push(sign);
            text += &fighters.to_string();
        }
        if stack.iter().any(|id| now.now(*id).broken) {
            text.push('!');
        }
        for (arm, sign) in [(Arm::Leader, 'L'), (Arm::Base, '@')] {
            if stack.iter().any(|id| now.arm(*id) == Some(arm)) {
                text.push(sign);
            }
        }
    }
    let text: String = text.chars().take(WIDTH).collect();
    Patch { text: format!("{text:<WIDTH$}"), tone }
}
