//! The battlefields in characters: ground, works and height, and in each box the unit with its facing, disorder and
//! leader.

use crate::board::{Facing, Square};
use crate::engine::doc::{DocPath, Fault};
use crate::engine::{Patch, Picture, Tone, Window};

use super::LoneWarrior;
use super::position::Position;
use super::state::{Place, State};
use super::terms::{Battlefield, Ground, Power, Work};

/// Signs of a box besides the name in it.
const NAME: usize = 5;

/// Draws the battlefields, or the one the window asks for.
pub fn draw(game: &LoneWarrior, state: &State, window: &Window) -> Result<Picture, Fault> {
    let mut picture = Picture::default();
    let wanted = match &window.centre {
        None => None,
        Some(text) => match Battlefield::from_word(text) {
            Some(field) if game.fields.contains(&field) => Some(field),
            _ => {
                let what = format!("there is no battlefield `{text}` in this game");
                return Err(Fault::new(&DocPath::root(), what, "name a battlefield in play, or none for all"));
            }
        },
    };
    for now in game.positions(state).filter(|now| wanted.is_none_or(|wanted| wanted == now.id)) {
        if !picture.lines.is_empty() {
            picture.lines.push(Vec::new());
        }
        field(&now, &mut picture);
    }
    picture.legend = vec![
        ". open   + height   w woods   ~ pond   # town   T trenches   B blockhouse   F fort   | river".to_owned(),
        "a unit: its name without sj- or ec-, the way it looks < > ^ v, ! disordered, * leader, o hero".to_owned(),
        "(name) a leader alone   x objective, $ in U.S. hands   lanes from north to south, ranks from west to east"
            .to_owned(),
    ];
    Ok(picture)
}

fn patch(text: impl Into<String>, tone: Tone) -> Patch {
    Patch { text: text.into(), tone }
}

fn field(now: &Position<'_>, picture: &mut Picture) {
    let frame = now.field.grid.frame();
    picture.lines.push(vec![patch(now.field.name.clone(), Tone::Plain)]);
    let mut head = String::from("    ");
    for rank in frame.ranks.first..=frame.ranks.last {
        head.push_str(&format!("{rank:02}          "));
    }
    picture.lines.push(vec![patch(head.trim_end(), Tone::Faint)]);
    for lane in frame.lanes.first..=frame.lanes.last {
        let mut line = vec![patch(format!("{lane:02}  "), Tone::Faint)];
        for rank in frame.ranks.first..=frame.ranks.last {
            let Some(square) = now.field.grid.at(lane, rank) else { continue };
            cell(now, square, &mut line);
            let next = now.field.grid.at(lane, rank + 1);
            let crossing = next.and_then(|next| now.field.crossing(square, next));
            line.push(if crossing.is_some() { patch("|", Tone::Water) } else { patch(" ", Tone::Plain) });
        }
        picture.lines.push(line);
    }
    let mut guns = Vec::new();
    for id in &now.field.units {
        let Some(unit) = now.unit(*id).filter(|unit| unit.is_off_table()) else { continue };
        let edge = match unit.power {
            Power::Spain => "west",
            Power::Us => "east",
        };
        let fate = match now.state.unit(*id) {
            state if state.at == Place::Lost => ", eliminated",
            state if state.disordered => ", disordered",
            _ => "",
        };
        guns.push(format!("{id} behind the {edge} edge of lane {}{fate}", unit.gun_lane));
    }
    if !guns.is_empty() {
        picture.lines.push(vec![patch(format!("    off the table: {}", guns.join("; ")), Tone::Plain)]);
    }
}

/// One box: eleven signs.
fn cell(now: &Position<'_>, square: Square, line: &mut Vec<Patch>) {
    let terrain = now.field.at(square);
    let (sign, tone) = match (terrain.work, terrain.ground) {
        (Work::Trench, _) => ("T", Tone::Built),
        (Work::Blockhouse, _) => ("B", Tone::Built),
        (Work::Fort, _) => ("F", Tone::Built),
        (Work::None, Ground::Woods) => ("w", Tone::Green),
        (Work::None, Ground::Pond) => ("~", Tone::Water),
        (Work::None, Ground::Town) => ("#", Tone::Built),
        (Work::None, Ground::Open) => (".", Tone::Faint),
    };
    line.push(patch(sign, tone));
    line.push(if terrain.height > 0 { patch("+", Tone::Brown) } else { patch(" ", Tone::Plain) });
    let area = now.field.area_at(square).map(|area| now.state.captured.contains(&area.id));
    line.push(match area {
        Some(true) => patch("$", Tone::Marked),
        Some(false) => patch("x", Tone::Marked),
        None => patch(" ", Tone::Plain),
    });
    let alone = now.field.leaders.iter().find(|id| now.state.leader(**id).at == Place::At(square));
    let Some(id) = now.state.unit_in(square) else {
        let text = alone.map_or_else(
            || " ".repeat(NAME + 3),
            |id| {
                let name: String = id.as_str().chars().take(NAME).collect();
                format!("{:<1$}", format!("({name})"), NAME + 3)
            },
        );
        let tone = alone.and_then(|id| now.leader(*id)).map_or(Tone::Plain, |leader| side_tone(leader.power));
        line.push(patch(text, tone));
        return;
    };
    let unit = now.state.unit(id);
    let name: String = id.as_str().split_once('-').map_or(id.as_str(), |(_, rest)| rest).chars().take(NAME).collect();
    let looks = match unit.facing {
        Some(Facing::N) => "^",
        Some(Facing::E) => ">",
        Some(Facing::S) => "v",
        Some(Facing::W) => "<",
        None => " ",
    };
    let order = if unit.disordered { "!" } else { " " };
    let led = if now.leaders_with(id).next().is_some() {
        "*"
    } else if now.ready_hero(id).is_some() {
        "o"
    } else {
        " "
    };
    let tone = now.power(id).map_or(Tone::Plain, side_tone);
    line.push(patch(format!("{name:<NAME$}{looks}"), tone));
    line.push(patch(format!("{order}{led}"), Tone::Marked));
}

fn side_tone(power: Power) -> Tone {
    match power {
        Power::Spain => Tone::First,
        Power::Us => Tone::Second,
    }
}
