//! The map in characters: three columns and two lines a hex, rows shifted as on the sheet.

use crate::board::{Grid, Hex};
use crate::engine::doc::{DocPath, Fault, FromDoc, Node, Reader};
use crate::engine::{Patch, Picture, Tone, Window};

use super::play::Position;
use super::terms::{Force, Terrain};

const WIDTH: usize = 5;

/// Draws the map or a part of it.
pub fn picture(now: &Position<'_>, window: &Window) -> Result<Picture, Fault> {
    let data = now.data();
    let centre = match &window.centre {
        None => None,
        Some(text) => {
            let mut reader = Reader::new(data);
            let hex = Hex::read(&Node::text(text.as_str()), &DocPath::root(), &mut reader);
            match hex {
                Some(hex) => Some(hex),
                None => {
                    return Err(reader
                        .faults
                        .into_iter()
                        .next()
                        .unwrap_or_else(|| Fault::new(&DocPath::root(), "no such hex", "name a hex")));
                }
            }
        }
    };
    let cells: Vec<Hex> = data.grid.cells().collect();
    let radius = centre.map(|_| i32::try_from(window.radius.unwrap_or(4)).unwrap_or(4));
    let shown = |hex: &Hex| match (centre, radius) {
        (Some(centre), Some(radius)) => {
            let far = |a: u16, b: u16| (i32::from(a) - i32::from(b)).abs();
            far(hex.first(), centre.first()) <= radius && far(hex.second(), centre.second()) <= radius + 1
        }
        _ => hex.first() >= 5,
    };
    let shown: Vec<Hex> = cells.into_iter().filter(shown).collect();
    let first_column = shown.iter().map(|hex| hex.second()).min().unwrap_or(1);
    let mut rows: Vec<u16> = shown.iter().map(|hex| hex.first()).collect();
    rows.sort_unstable();
    rows.dedup();
    let mut picture = Picture::default();
    for row in rows.into_iter().rev() {
        let hexes: Vec<Hex> = shown.iter().copied().filter(|hex| hex.first() == row).collect();
        // Even rows lie half a hex farther east (§1.3b).
        let shift = if row % 2 == 0 { WIDTH.div_ceil(2) } else { 0 };
        let margin = |hexes: &[Hex]| {
            let lead = hexes.first().map_or(0, |hex| usize::from(hex.second() - first_column)) * WIDTH;
            Patch { text: " ".repeat(shift + lead), tone: Tone::Plain }
        };
        let mut ground = vec![Patch { text: format!("{row:02} "), tone: Tone::Faint }, margin(&hexes)];
        let mut troops = vec![Patch { text: "   ".into(), tone: Tone::Faint }, margin(&hexes)];
        for hex in hexes {
            ground.push(terrain_patch(now, hex));
            troops.push(troops_patch(now, hex));
        }
        picture.lines.push(ground);
        picture.lines.push(troops);
    }
    picture.legend = vec![
        "first line of a hex: column number and terrain: . clear, \" jungle, ^ hill, T town, C city, _ beach, ~ water; = road or railroad".into(),
        "works: R redoubt, B battery, E entrenchment; * objective, + in US hands".into(),
        "second line: u US, c Cuban, s Spanish with number of units; L leader, @ base, o balloon".into(),
    ];
    Ok(picture)
}

fn terrain_patch(now: &Position<'_>, hex: Hex) -> Patch {
    let data = now.data();
    let (sign, tone) = match data.terrain(hex) {
        Terrain::Clear => ('.', Tone::Plain),
        Terrain::Jungle => ('"', Tone::Green),
        Terrain::Hill => ('^', Tone::Brown),
        Terrain::Town => ('T', Tone::Built),
        Terrain::City => ('C', Tone::Built),
        Terrain::Beach => ('_', Tone::Plain),
        Terrain::Harbor | Terrain::Ocean => ('~', Tone::Water),
    };
    if !data.is_land(hex) {
        return Patch { text: format!("{sign:^WIDTH$}"), tone };
    }
    let ground = data.ground(hex);
    let work = match ground {
        Some(ground) if ground.redoubt => 'R',
        Some(ground) if ground.battery => 'B',
        Some(ground) if ground.entrenchment => 'E',
        _ if data.has_road(hex) => '=',
        _ => ' ',
    };
    let objective = ground.is_some_and(|ground| ground.objective);
    let flag = match (objective, now.state.us_controls(hex)) {
        (true, true) => '+',
        (true, false) => '*',
        _ => ' ',
    };
    Patch { text: format!("{:02}{sign}{work}{flag}", hex.second()), tone }
}

fn troops_patch(now: &Position<'_>, hex: Hex) -> Patch {
    let forces = [(Force::Us, 'u', Tone::First), (Force::Cuban, 'c', Tone::Third), (Force::Spanish, 's', Tone::Second)];
    let mut text = String::new();
    let mut tone = Tone::Plain;
    for (force, sign, colour) in forces {
        let units = now.combat_units(force, hex).len();
        if units > 0 {
            text += &format!("{sign}{units}");
            tone = colour;
        }
        if !now.leaders_in(force, hex).is_empty() {
            text.push('L');
            tone = colour;
        }
    }
    if now.state.base == Some(hex) {
        text.push('@');
        tone = Tone::First;
    }
    if now.signals_in(hex).is_some() {
        text.push('o');
        tone = Tone::First;
    }
    Patch { text: format!("{text:<WIDTH$}"), tone }
}
