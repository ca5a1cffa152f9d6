//! The map in characters: five columns and two lines a hex, rows shifted as on the sheet.

use crate::board::{Grid, Hex};
use crate::engine::doc::{DocPath, Fault, FromDoc, Node, Reader};
use crate::engine::{Patch, Picture, Seen, Tone, Window};

use super::EndOfEmpire;
use super::position::{Known, Position};
use super::state::State;
use super::terms::{Force, Terrain, UnitKind};

const WIDTH: usize = 5;

/// Draws the map or a part of it.
pub fn picture(game: &EndOfEmpire, seen: &Seen<'_, State>, window: &Window) -> Result<Picture, Fault> {
    let known = Known::default();
    let now = Position { game, state: seen.state, known: &known };
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
    let radius = i32::try_from(window.radius.unwrap_or(4)).unwrap_or(4);
    let far = |a: u16, b: u16| (i32::from(a) - i32::from(b)).abs();
    let shown = |hex: &Hex| match centre {
        Some(centre) => far(hex.first(), centre.first()) <= radius && far(hex.second(), centre.second()) <= radius + 1,
        None => hex.first() >= 4,
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
        "first line of a hex: column and terrain: . clear, \" jungle, ^ hill, v village, T town, C city, _ beach, ~ water; = road or railroad".into(),
        "works: R redoubt, B battery, E entrenchment; * objective, + in US hands".into(),
        "second line: u US, c Cuban, s Spanish units in the open, ? closed counters; L leader, @ base, o signals, l logistic column".into(),
    ];
    Ok(picture)
}

fn terrain_patch(now: &Position<'_>, hex: Hex) -> Patch {
    let data = now.data();
    let (sign, tone) = match data.terrain(hex) {
        Terrain::Clear => ('.', Tone::Plain),
        Terrain::Jungle => ('"', Tone::Green),
        Terrain::Hill => ('^', Tone::Brown),
        Terrain::Village => ('v', Tone::Built),
        Terrain::Town => ('T', Tone::Built),
        Terrain::City => ('C', Tone::Built),
        Terrain::Beach => ('_', Tone::Plain),
        Terrain::Harbour | Terrain::Ocean => ('~', Tone::Water),
    };
    let Some(ground) = data.ground(hex).filter(|ground| ground.terrain.is_land()) else {
        return Patch { text: format!("{sign:^WIDTH$}"), tone };
    };
    let work = match ground {
        _ if ground.redoubt => 'R',
        _ if ground.battery => 'B',
        _ if ground.entrenchment => 'E',
        _ if data.has_road(hex) => '=',
        _ => ' ',
    };
    let flag = match (ground.objective, now.us_controls(hex)) {
        (true, true) => '+',
        (true, false) => '*',
        _ => ' ',
    };
    Patch { text: format!("{:02}{sign}{work}{flag}", hex.second()), tone }
}

fn troops_patch(now: &Position<'_>, hex: Hex) -> Patch {
    let forces = [(Force::Us, 'u', Tone::First), (Force::Cuban, 'c', Tone::Third), (Force::Spanish, 's', Tone::Second)];
    let (mut text, mut tone) = (String::new(), Tone::Plain);
    for (force, sign, colour) in forces {
        let stack = now.stack(hex, force);
        if stack.is_empty() {
            continue;
        }
        tone = colour;
        let closed = stack.iter().filter(|piece| piece.is_counter()).count();
        let open = stack.iter().filter(|piece| now.kind(**piece).is_some_and(UnitKind::is_combat)).count();
        if open > 0 || closed > 0 {
            text.push(sign);
        }
        if open > 0 {
            text += &open.to_string();
        }
        text += &"?".repeat(closed.min(2));
        for (kind, sign) in [(UnitKind::Leader, 'L'), (UnitKind::Signals, 'o'), (UnitKind::LogisticColumn, 'l')] {
            if stack.iter().any(|piece| now.kind(*piece) == Some(kind)) {
                text.push(sign);
            }
        }
    }
    if now.state.base == Some(hex) {
        text.push('@');
        tone = Tone::First;
    }
    let text: String = text.chars().take(WIDTH).collect();
    Patch { text: format!("{text:<WIDTH$}"), tone }
}
