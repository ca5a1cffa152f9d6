//! The map in characters. The whole map is drawn small, two characters a hex, in strips where the page is narrow; around
//! a hex it is drawn with numbers.

use crate::board::{Grid, Hex};
use crate::engine::doc::{DocPath, Fault, FromDoc, Node, Reader};
use crate::engine::{Patch, Picture, Tone, Window};

use super::data::Along;
use super::play::Position;
use super::terms::Land;

/// Draws the map or a part of it.
pub fn picture(now: &Position<'_>, window: &Window) -> Result<Picture, Fault> {
    let Some(text) = &window.centre else { return Ok(whole(now, window.width)) };
    let mut reader = Reader::new(now.game);
    let Some(centre) = Hex::read(&Node::text(text.as_str()), &DocPath::root(), &mut reader) else {
        let nothing = || Fault::new(&DocPath::root(), "no such hex", "name a hex or a place");
        return Err(reader.faults.into_iter().next().unwrap_or_else(nothing));
    };
    let widest = window.width.map_or(8, |width| (width.saturating_sub(4) / CLOSE.max(1)).saturating_sub(1) / 2);
    let radius = window.radius.unwrap_or(6).min(u32::try_from(widest.max(2)).unwrap_or(8));
    Ok(close(now, centre, i32::try_from(radius).unwrap_or(6)))
}

/// Characters of a hex in the close view.
const CLOSE: usize = 6;

/// The whole map: one line for each row, columns two characters wide. What does not fit side by side stands below, the
/// west first.
fn whole(now: &Position<'_>, width: Option<usize>) -> Picture {
    let grid = now.data().grid();
    let ([first, last], [top, bottom]) = (grid.frame().columns, grid.frame().rows);
    let columns: Vec<u16> = (first..=last).collect();
    let fit = width.map_or(columns.len(), |width| (width.saturating_sub(3) / 2).max(10));
    let strips = columns.len().div_ceil(fit).max(1);
    let mut picture = Picture::default();
    let faint = |text: String| Patch { text, tone: Tone::Faint };
    for strip in columns.chunks(columns.len().div_ceil(strips).max(1)) {
        if !picture.lines.is_empty() {
            picture.lines.push(Vec::new());
        }
        let label = |column: &u16| if column.is_multiple_of(2) { format!("{column:02}") } else { "  ".to_owned() };
        picture.lines.push(vec![faint(format!("   {}", strip.iter().map(label).collect::<String>()))]);
        for row in top..=bottom {
            let mut line = vec![faint(format!("{row:02} "))];
            line.extend(strip.iter().filter_map(|column| grid.at(row, *column)).map(|hex| small(now, hex)));
            picture.lines.push(line);
        }
    }
    picture.legend = vec![
        "odd columns lie half a hex lower than shown; `garcia map HEX` draws a hex closely".into(),
        "ground: . clear, \" jungle, % swamp, # city, ~ water, = road, B blockhouse,".into(),
        "  F fortress, _ beach".into(),
        "counters: u US, c Cuban, s Spanish, each with their number; @ supply source,".into(),
        "  o balloon".into(),
    ];
    picture.legend.extend(places(now, |_| true));
    picture
}

/// The named hexes among those shown, a few to a line.
fn places(now: &Position<'_>, shown: impl Fn(Hex) -> bool) -> Vec<String> {
    let named = now.data().places.iter().filter(|(_, hex)| shown(*hex)).map(|(name, hex)| format!("{name} {hex}"));
    lines("places", named.collect())
}

/// A list under a heading, broken into lines.
fn lines(heading: &str, things: Vec<String>) -> Vec<String> {
    const WIDE: usize = 78;
    let mut lines: Vec<String> = Vec::new();
    for thing in things {
        match lines.last_mut() {
            Some(line) if line.len() + thing.len() + 2 <= WIDE => {
                line.push_str(", ");
                line.push_str(&thing);
            }
            Some(line) => {
                line.push(',');
                lines.push(format!("  {thing}"));
            }
            None => lines.push(format!("{heading}: {thing}")),
        }
    }
    lines
}

/// What lies along the hexsides among those shown: rivers, bridges, trenches with the hex they defend first.
fn sides(now: &Position<'_>, shown: &dyn Fn(Hex) -> bool) -> Vec<String> {
    let data = now.data();
    let pairs = || {
        let hexes = data.grid().cells().filter(|hex| shown(*hex));
        hexes.flat_map(|hex| data.around(hex).map(move |next| (hex, next))).filter(|(_, next)| shown(*next))
    };
    let once = |kind: &dyn Fn(Hex, Hex) -> bool| -> Vec<String> {
        let marked = pairs().filter(|(a, b)| a < b && kind(*a, *b));
        marked.map(|(a, b)| format!("{a}/{b}")).collect()
    };
    let river = |a: Hex, b: Hex| data.between(a, b).has(Along::River) && !data.between(a, b).has(Along::Bridge);
    let trench = pairs().filter(|(hex, front)| data.between(*front, *hex).has(Along::Trench));
    let trench = trench.map(|(hex, front)| format!("{hex} towards {front}")).collect();
    let mut text = lines("rivers", once(&river));
    text.extend(lines("bridges", once(&|a, b| data.between(a, b).has(Along::Bridge))));
    text.extend(lines("trenches", trench));
    text
}

/// What stands in a hex, in two characters, and its colour.
fn troops(now: &Position<'_>, hex: Hex) -> Option<(String, Tone)> {
    let spanish = now.state.tokens_in(hex).count();
    if spanish > 0 {
        return Some((format!("s{spanish}"), Tone::Second));
    }
    let balloon = now.balloon().is_some_and(|(_, at)| at == hex);
    let americans = now.americans_in(hex).len() - usize::from(balloon);
    if americans > 0 {
        return Some((format!("u{americans}"), Tone::First));
    }
    if !now.cubans_in(hex).is_empty() {
        return Some(("c1".to_owned(), Tone::Third));
    }
    if balloon {
        return Some(("o ".to_owned(), Tone::First));
    }
    now.state.sources.contains_key(&hex).then(|| ("@ ".to_owned(), Tone::First))
}

fn ground(now: &Position<'_>, hex: Hex) -> (char, Tone) {
    let data = now.data();
    let Some(ground) = data.map.ground(hex) else { return (' ', Tone::Plain) };
    match ground.land {
        _ if ground.fortress => ('F', Tone::Built),
        Land::Clear if ground.height > 0 => ('.', Tone::Brown),
        Land::Clear => ('.', Tone::Plain),
        Land::Jungle => ('"', Tone::Green),
        Land::Swamp => ('%', Tone::Green),
        Land::City => ('#', Tone::Built),
        Land::Harbour | Land::Sea => ('~', Tone::Water),
    }
}

fn work(now: &Position<'_>, hex: Hex) -> Option<(char, Tone)> {
    let data = now.data();
    let ground = data.map.ground(hex)?;
    if ground.blockhouse {
        Some(('B', Tone::Built))
    } else if ground.beach {
        Some(('_', Tone::Built))
    } else if data.has_road(hex) {
        Some(('=', Tone::Road))
    } else {
        None
    }
}

fn small(now: &Position<'_>, hex: Hex) -> Patch {
    if let Some((text, tone)) = troops(now, hex) {
        return Patch { text, tone };
    }
    let (sign, tone) = ground(now, hex);
    match work(now, hex) {
        Some((work, colour)) => Patch { text: format!("{sign}{work}"), tone: colour },
        None => Patch { text: format!("{sign}{}", if sign == '~' { '~' } else { ' ' }), tone },
    }
}

/// The surroundings of a hex: three lines a hex, odd columns half a hex lower.
fn close(now: &Position<'_>, centre: Hex, radius: i32) -> Picture {
    let data = now.data();
    let grid = data.grid();
    let (x, y) = grid.centre(centre);
    let mut picture = Picture::default();
    // Half-hex lines from north to south; a hex takes four of them.
    for half in (y - 2 * radius)..=(y + 2 * radius) {
        for part in 0..2 {
            let mut line = Vec::new();
            for column in (x - radius)..=(x + radius) {
                line.push(piece_of(now, column, half, part));
            }
            picture.lines.push(line);
        }
    }
    picture.legend = vec![
        "a hex: its number; ground, height and works; counters".into(),
        "ground: . clear, \" jungle, % swamp, # city, ~ water; digit: height; = road,".into(),
        "  B blockhouse, F fortress, _ beach, T trench".into(),
        "counters: u US, c Cuban, s Spanish with their number; @ supply source,".into(),
        "  o balloon up, x fever".into(),
    ];
    let shown = |hex: Hex| {
        let (east, south) = grid.centre(hex);
        (east - x).abs() <= radius && (south - y).abs() <= 2 * radius
    };
    picture.legend.extend(places(now, shown));
    picture.legend.extend(sides(now, &shown));
    picture
}

/// One of the four lines of a hex: number, ground, counters, a blank.
fn piece_of(now: &Position<'_>, x: i32, half: i32, part: i32) -> Patch {
    let blank = Patch { text: " ".repeat(CLOSE), tone: Tone::Plain };
    let grid = now.data().grid();
    let at = |y: i32| {
        let column = u16::try_from(x).ok()?;
        grid.cells().find(|hex| grid.column(*hex) == column && grid.centre(*hex) == (x, y))
    };
    let (hex, line) = match (at(half), at(half - 1)) {
        (Some(hex), _) => (hex, part),
        (None, Some(hex)) => (hex, part + 2),
        (None, None) => return blank,
    };
    let wide = |text: String| format!("{text:<CLOSE$}");
    match line {
        0 => Patch { text: wide(hex.to_string()), tone: Tone::Faint },
        1 => ground_line(now, hex),
        2 => counters_line(now, hex),
        _ => blank,
    }
}

fn ground_line(now: &Position<'_>, hex: Hex) -> Patch {
    let data = now.data();
    let (sign, tone) = ground(now, hex);
    let mut text = String::from(sign);
    if let Some(ground) = data.map.ground(hex).filter(|ground| ground.land.is_land()) {
        if ground.height > 0 {
            text.push_str(&ground.height.to_string());
        }
        if data.has_road(hex) {
            text.push('=');
        }
        if ground.blockhouse {
            text.push('B');
        }
        if ground.beach {
            text.push('_');
        }
        if data.around(hex).any(|next| data.between(next, hex).has(Along::Trench)) {
            text.push('T');
        }
    }
    Patch { text: format!("{text:<CLOSE$}"), tone }
}

fn counters_line(now: &Position<'_>, hex: Hex) -> Patch {
    let mut text = String::new();
    let mut tone = Tone::Plain;
    if let Some((units, colour)) = troops(now, hex) {
        text.push_str(units.trim());
        tone = colour;
    }
    if now.state.sources.contains_key(&hex) && !text.contains('@') {
        text.push('@');
    }
    if now.state.balloon_up && now.balloon().is_some_and(|(_, at)| at == hex) && !text.contains('o') {
        text.push('o');
    }
    if now.state.units_in(hex).any(|id| now.state.unit(id).fever) {
        text.push('x');
    }
    Patch { text: format!("{text:<CLOSE$}"), tone }
}
