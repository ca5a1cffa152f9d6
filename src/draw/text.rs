//! The map in characters.
//!
//! Every hex has a place of its own for each thing: ground, height and works on one line, counters on the next, its
//! name below them, and between it and its neighbours a slot for water, one for roads, one for slopes and one for
//! trenches. So nothing ever hides anything else. What does not fit side by side stands below, the west first.

use std::collections::{BTreeMap, BTreeSet};

use crate::scene::{Border, Cell, Counter, Flag, Mark, Overlay, Scene, Shape};

use super::part::{Part, Window};
use super::signs::{self, Legend, listed};
use super::{Patch, Picture, Tone};

/// Room for the numbers of rows.
const MARGIN: usize = 3;
/// The fewest characters the inside of a cell takes.
const NARROW: usize = 5;
/// The most it is given where there is room.
const ROOMY: usize = 11;

/// Draws a scene, or the surroundings of a cell, in so many columns.
pub fn text_map(scene: &Scene, window: &Window, width: usize) -> Picture {
    let mut picture = Picture::default();
    let mut legend = Legend::default();
    let mut below = Vec::new();
    for part in Part::of(scene, window) {
        if !part.board.name.is_empty() {
            if !picture.lines.is_empty() {
                picture.lines.push(Vec::new());
            }
            picture.lines.push(vec![Patch { text: part.board.name.clone(), tone: Tone::Name }]);
        }
        let sheet = Sheet::new(&part, width);
        sheet.strips(&mut picture, &mut legend);
        below.extend(places(&part, width));
        if !part.whole {
            below.extend(stacks(&part, width));
        }
    }
    picture.legend = legend.lines(width);
    picture.legend.extend(below);
    for held in scene.boxes.iter().filter(|_| window.centre.is_none()) {
        let ids: Vec<String> = held.counters.iter().map(|counter| counter.id.clone()).collect();
        picture.legend.extend(listed(&held.name, &ids, width));
    }
    picture
}

/// The named cells.
fn places(part: &Part<'_>, width: usize) -> Vec<String> {
    let named = part.cells.iter().filter_map(|cell| Some(format!("{} {}", cell.name.as_ref()?, cell.id)));
    listed("places", &named.collect::<Vec<_>>(), width)
}

/// What lies in each cell.
fn stacks(part: &Part<'_>, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for cell in &part.cells {
        let counters: Vec<String> = part.board.stack(&cell.id).map(Counter::listed).collect();
        lines.extend(listed(&cell.id, &counters, width));
    }
    lines
}

/// Rows of characters, each with its tone.
struct Canvas {
    lines: Vec<Vec<(char, Tone)>>,
}

impl Canvas {
    fn put(&mut self, line: usize, column: usize, text: &str, tone: Tone) {
        for (offset, sign) in text.chars().enumerate() {
            self.sign(line, column + offset, sign, tone);
        }
    }

    fn sign(&mut self, line: usize, column: usize, sign: char, tone: Tone) {
        if self.lines.len() <= line {
            self.lines.resize(line + 1, Vec::new());
        }
        let Some(row) = self.lines.get_mut(line) else { return };
        if row.len() <= column {
            row.resize(column + 1, (' ', Tone::Plain));
        }
        if let Some(place) = row.get_mut(column) {
            *place = (sign, tone);
        }
    }

    /// The rows as patches of one tone each.
    fn patches(self) -> impl Iterator<Item = Vec<Patch>> {
        self.lines.into_iter().map(|row| {
            let mut patches: Vec<Patch> = Vec::new();
            for (sign, tone) in row {
                match patches.last_mut() {
                    Some(patch) if patch.tone == tone || sign == ' ' => patch.text.push(sign),
                    _ => patches.push(Patch { text: sign.to_string(), tone }),
                }
            }
            patches
        })
    }
}

/// A map and how it is laid out in characters.
struct Sheet<'p> {
    part: &'p Part<'p>,
    /// Characters between two cells.
    gap: usize,
    /// Characters within a cell.
    room: usize,
    /// The width there is.
    width: usize,
    columns: Vec<u16>,
    rows: Vec<u16>,
    stacks: BTreeMap<&'p str, Vec<&'p Counter>>,
    /// What is asked about, by cell: a few characters.
    asked: BTreeMap<&'p str, &'p str>,
    by_place: BTreeMap<(u16, u16), &'p Cell>,
    /// By the two cells, the lower number first.
    sides: BTreeMap<(&'p str, &'p str), Between>,
}

/// What lies between a cell and a neighbour.
#[derive(Default)]
struct Between {
    water: Option<Border>,
    ways: BTreeSet<char>,
    slope: Option<char>,
    trench: bool,
}

impl<'p> Sheet<'p> {
    fn new(part: &'p Part<'p>, width: usize) -> Sheet<'p> {
        let board = part.board;
        let mut stacks: BTreeMap<&str, Vec<&Counter>> = BTreeMap::new();
        for counter in &board.counters {
            if let Some(cell) = counter.cell.as_deref().filter(|cell| part.shows(cell)) {
                stacks.entry(cell).or_default().push(counter);
            }
        }
        let asked = asked(part);
        let idle =
            |cell: &&&Cell| !cell.ground.is_water() || cell.name.is_some() || stacks.contains_key(cell.id.as_str());
        // Rows and columns of nothing but water at the edge of the map tell nothing.
        let busy: Vec<&Cell> = part.cells.iter().filter(idle).copied().collect();
        let span = |of: fn(&Cell) -> u16| {
            let (low, high) = (busy.iter().map(|cell| of(cell)).min(), busy.iter().map(|cell| of(cell)).max());
            match (low, high) {
                (Some(low), Some(high)) => (low..=high).collect(),
                _ => Vec::new(),
            }
        };
        let (columns, mut rows): (Vec<u16>, Vec<u16>) = (span(|cell| cell.column), span(|cell| cell.row));
        let lie = |row: u16| part.cells.iter().filter(|cell| cell.row == row).map(|cell| cell.at.1).min();
        rows.sort_by_key(|row| lie(*row));
        let rough = board.sides.iter().any(|edge| edge.what.is_directed());
        let gap = if rough { 2 } else { 1 };
        let fits = width.saturating_sub(MARGIN + NARROW) / columns.len().max(1);
        let room = fits.saturating_sub(gap).clamp(NARROW, ROOMY);
        let by_place = part.cells.iter().map(|cell| ((cell.row, cell.column), *cell)).collect();
        Sheet { part, gap, room, width, columns, rows, stacks, asked, by_place, sides: sides(part) }
    }

    /// Characters from one cell to the next.
    fn pitch(&self) -> usize {
        self.gap + self.room
    }

    fn strips(&self, picture: &mut Picture, legend: &mut Legend) {
        let fit = (self.width.saturating_sub(MARGIN + self.pitch() / 2) / self.pitch()).max(1);
        let strips = self.columns.len().div_ceil(fit).max(1);
        for (number, strip) in self.columns.chunks(self.columns.len().div_ceil(strips).max(1)).enumerate() {
            if number > 0 {
                picture.lines.push(Vec::new());
            }
            let mut canvas = Canvas { lines: Vec::new() };
            match self.part.board.shape {
                Shape::FlatHex => self.flat(strip, &mut canvas, legend),
                Shape::PointyHex | Shape::Square => self.rows(strip, &mut canvas, legend),
            }
            picture.lines.extend(canvas.patches());
        }
    }

    /// Straight rows: squares, or hexes with every other row half a hex to the side.
    fn rows(&self, strip: &[u16], canvas: &mut Canvas, legend: &mut Legend) {
        let pitch = self.pitch();
        let west = if self.part.board.shape == Shape::Square { 3 } else { 4 };
        for (at, column) in strip.iter().enumerate() {
            canvas.put(0, MARGIN + at * pitch + self.gap, &format!("{column:02}"), Tone::Faint);
        }
        let cell = |row: u16, column: u16| self.by_place.get(&(row, column)).copied();
        let left = |row: u16| strip.iter().filter_map(|column| Some(cell(row, *column)?.at.0)).min().unwrap_or(0);
        let leftmost = self.rows.iter().map(|row| left(*row)).min().unwrap_or(0);
        let mut line = 1;
        for row in &self.rows {
            // Half a hex on paper is half a cell in characters.
            let shift = if (left(*row) - leftmost) % 104 == 52 { pitch / 2 } else { 0 };
            let named = strip.iter().filter_map(|column| cell(*row, *column)?.name.as_ref()).next().is_some();
            canvas.put(line + 1, 0, &format!("{row:02}"), Tone::Faint);
            let named_at = |column: &u16| cell(*row, *column).is_some_and(|cell| cell.name.is_some());
            for (at, column) in strip.iter().enumerate() {
                let Some(cell) = cell(*row, *column) else { continue };
                let x = MARGIN + shift + at * pitch;
                for (place, side) in self.above().iter().enumerate() {
                    if let Some(between) = self.between(cell, *side) {
                        self.over(between, line, x + self.gap + place * (self.room / 2 + 1), canvas, legend);
                    }
                }
                if let Some(between) = self.between(cell, west) {
                    self.beside(between, line + 1, x, canvas, legend);
                }
                self.inside(cell, line + 1, x + self.gap, canvas, legend);
                if let Some(name) = &cell.name {
                    // A long name runs on to where the next one begins.
                    let free = strip.iter().skip(at + 1).position(named_at).map(|cells| (cells + 1) * pitch - 1);
                    let room = free.unwrap_or(usize::MAX).min(self.width.saturating_sub(x + self.gap));
                    let text: String = name.chars().take(room).collect();
                    canvas.put(line + 3, x + self.gap, text.trim_end(), Tone::Name);
                }
            }
            line += if named { 4 } else { 3 };
        }
    }

    /// Straight columns, every other one half a hex lower.
    fn flat(&self, strip: &[u16], canvas: &mut Canvas, legend: &mut Legend) {
        const HIGH: i32 = 4;
        let pitch = self.pitch();
        for (at, column) in strip.iter().enumerate() {
            canvas.put(0, MARGIN + at * pitch + self.gap, &format!("{column:02}"), Tone::Faint);
        }
        let of_strip = |cell: &&&Cell| strip.contains(&cell.column) && self.rows.contains(&cell.row);
        let cells: Vec<&Cell> = self.part.cells.iter().filter(of_strip).copied().collect();
        let top = cells.iter().map(|cell| cell.at.1).min().unwrap_or(0);
        for cell in cells {
            let Some(at) = strip.iter().position(|column| *column == cell.column) else { continue };
            // 104 is the height of a hex.
            let line = usize::try_from(1 + (cell.at.1 - top) * HIGH / 104).unwrap_or(1);
            let x = MARGIN + at * pitch;
            if at == 0 || at == 1 && (cell.at.1 - top) % 104 == 0 {
                canvas.put(line + 1, 0, &format!("{:02}", cell.row), Tone::Faint);
            }
            if let Some(between) = self.between(cell, 0) {
                self.over(between, line, x + self.gap, canvas, legend);
            }
            for (down, side) in [(0, 5), (2, 4)] {
                if let Some(between) = self.between(cell, side) {
                    self.beside(between, line + down, x, canvas, legend);
                }
            }
            self.inside(cell, line + 1, x + self.gap, canvas, legend);
            if let Some(name) = &cell.name {
                let text: String = name.chars().take(self.room).collect();
                canvas.put(line + 3, x + self.gap, &text, Tone::Name);
            }
        }
    }

    /// The upper sides of a cell, from the left.
    fn above(&self) -> &'static [usize] {
        match self.part.board.shape {
            Shape::PointyHex => &[5, 0],
            Shape::FlatHex | Shape::Square => &[0],
        }
    }

    /// What lies along a side of a cell.
    fn between(&self, cell: &'p Cell, side: usize) -> Option<&Between> {
        let other = self.part.across(cell, side)?;
        let (a, b) = (cell.id.as_str(), other.id.as_str());
        self.sides.get(&(a.min(b), a.max(b)))
    }

    /// The signs of a side, in their four slots: water, slope, way, trench.
    fn slots(between: &Between, legend: &mut Legend) -> [Option<(char, Tone)>; 4] {
        let water = between.water.map(|what| {
            let sign = signs::border(what, ' ');
            legend.met("between cells", sign.0, what.as_str());
            sign
        });
        let slope = between.slope.map(|sign| {
            legend.met("between cells", sign, "uphill");
            (sign, Tone::Brown)
        });
        let way = match between.ways.len() {
            0 => None,
            1 => between.ways.first().copied(),
            _ => Some('%'),
        };
        let way = way.map(|sign| {
            let means = match sign {
                '=' => "road",
                '+' => "railway",
                '-' => "trail",
                'i' => "pier",
                _ => "road and railway",
            };
            legend.met("between cells", sign, means);
            (sign, Tone::Road)
        });
        let trench = between.trench.then(|| {
            legend.met("between cells", 'T', "trench");
            ('T', Tone::Built)
        });
        [water, slope, way, trench]
    }

    /// What lies along an upper side.
    fn over(&self, between: &Between, line: usize, x: usize, canvas: &mut Canvas, legend: &mut Legend) {
        let slots = Self::slots(between, legend);
        let taken = slots.iter().flatten();
        for (place, (sign, tone)) in taken.enumerate() {
            canvas.sign(line, x + place, *sign, *tone);
        }
    }

    /// What lies along a side at the left: two lines, as many characters as the gap has.
    fn beside(&self, between: &Between, line: usize, x: usize, canvas: &mut Canvas, legend: &mut Legend) {
        let [water, slope, way, trench] = Self::slots(between, legend);
        let places = [(0, 0, water), (0, 1, slope), (1, 0, way), (1, 1, trench)];
        for (down, right, slot) in places {
            if let Some((sign, tone)) = slot {
                canvas.sign(line + down, x + right, sign, tone);
            }
        }
    }

    /// The ground of a cell and what stands on it.
    fn inside(&self, cell: &Cell, line: usize, x: usize, canvas: &mut Canvas, legend: &mut Legend) {
        let (sign, tone) = signs::ground(cell.ground);
        legend.met("ground", sign, signs::ground_name(cell.ground));
        canvas.sign(line, x, sign, tone);
        let mut place = x + 1;
        let mut next = |canvas: &mut Canvas, sign: char, tone: Tone| {
            canvas.sign(line, place, sign, tone);
            place += 1;
        };
        if cell.level > 0 {
            let digit = char::from_digit(u32::from(cell.level), 36).unwrap_or('+');
            legend.met("ground", '1', "height");
            next(canvas, digit, Tone::Brown);
        }
        for work in &cell.works {
            legend.met("works", signs::work(*work), work.as_str());
            next(canvas, signs::work(*work), Tone::Built);
        }
        for flag in &cell.flags {
            let Some(sign) = signs::flag(*flag) else { continue };
            legend.met("marks", sign, flag.as_str());
            next(canvas, sign, Tone::Marked);
            if let Some(force) = cell.held.filter(|_| *flag == Flag::Objective).and_then(|id| self.part.scene.force(id))
            {
                let means = format!("held by {}", force.name);
                legend.met("marks", force.sign, &means);
                next(canvas, force.sign, self.tone(force.id));
            }
        }
        if let Some(asked) = self.asked.get(cell.id.as_str()) {
            let room = (x + self.room).saturating_sub(place);
            let text: String = asked.chars().take(room).collect();
            canvas.put(line, x + self.room - text.chars().count(), &text, Tone::Marked);
        }
        self.counters(cell, line + 1, x, canvas, legend);
    }

    fn tone(&self, force: &str) -> Tone {
        match self.part.scene.forces.iter().position(|known| known.id == force) {
            Some(0) => Tone::First,
            Some(1) => Tone::Second,
            _ => Tone::Third,
        }
    }

    fn counters(&self, cell: &Cell, line: usize, x: usize, canvas: &mut Canvas, legend: &mut Legend) {
        let Some(stack) = self.stacks.get(cell.id.as_str()) else { return };
        let mut place = x;
        let end = x + self.room;
        let crowded = stack.iter().map(|counter| counter.force).collect::<BTreeSet<_>>().len() > 1;
        for force in &self.part.scene.forces {
            let of: Vec<&&Counter> = stack.iter().filter(|counter| counter.force == force.id).collect();
            if of.is_empty() {
                continue;
            }
            let (special, units): (Vec<&&&Counter>, Vec<&&&Counter>) =
                of.iter().partition(|counter| signs::special(counter).is_some());
            let mut text = String::new();
            legend.met("counters", force.sign, force.name);
            match units.as_slice() {
                [] => {}
                [counter] if !crowded && special.len() < 2 => text.push_str(&self.single(counter, force.sign, legend)),
                many => {
                    text.push(force.sign);
                    text.push_str(&many.len().to_string());
                    if many.iter().any(|counter| counter.marks.contains(&Mark::Unknown)) {
                        legend.met("counters", '?', "unknown");
                        text.push('?');
                    }
                }
            }
            if units.is_empty() {
                text.push(force.sign);
            }
            let mut seen = BTreeSet::new();
            for (sign, means) in special.iter().filter_map(|counter| signs::special(counter)) {
                if seen.insert(sign) {
                    legend.met("counters", sign, means);
                    text.push(sign);
                }
            }
            let text: String = text.chars().take(end.saturating_sub(place)).collect();
            canvas.put(line, place, &text, self.tone(force.id));
            place += text.chars().count();
        }
    }

    /// A unit alone in its cell is shown by what is printed on it, with the way it looks and what is wrong with it.
    fn single(&self, counter: &Counter, sign: char, legend: &mut Legend) -> String {
        let mut after = String::new();
        if let Some(degrees) = counter.facing {
            let looks = ['^', '>', 'v', '<'].get(usize::from(degrees / 90 % 4)).copied().unwrap_or(' ');
            legend.met("counters", looks, "looks that way");
            after.push(looks);
        }
        let bad = [Mark::Disorganized, Mark::Broken, Mark::OutOfSupply, Mark::Fever];
        if counter.marks.iter().any(|mark| bad.contains(mark)) {
            legend.met("counters", '!', "disorganized, out of supply or the like");
            after.push('!');
        }
        if counter.marks.contains(&Mark::Unknown) {
            legend.met("counters", '?', "unknown");
            return format!("{sign}1?");
        }
        let label: String = counter.label.chars().filter(|c| !c.is_whitespace()).collect();
        if 1 + label.chars().count() + after.chars().count() <= self.room {
            format!("{sign}{label}{after}")
        } else {
            let short: String = label.chars().take(self.room.saturating_sub(1 + after.chars().count())).collect();
            format!("{sign}{short}{after}")
        }
    }
}

/// What lies along every side of the cells shown.
fn sides<'p>(part: &'p Part<'p>) -> BTreeMap<(&'p str, &'p str), Between> {
    let mut sides: BTreeMap<(&str, &str), Between> = BTreeMap::new();
    for edge in &part.board.sides {
        let [a, b] = edge.between.each_ref().map(String::as_str);
        let (Some(from), Some(to)) = (part.cell(a), part.cell(b)) else { continue };
        let between = sides.entry((a.min(b), a.max(b))).or_default();
        match edge.what {
            Border::Slope | Border::Cliff => between.slope = Some(uphill(from, to)),
            Border::Trench => between.trench = true,
            // A bridge or ford says that there is a river.
            what => between.water = between.water.max(Some(what)),
        }
    }
    for way in &part.board.ways {
        for step in way.cells.windows(2) {
            if let [a, b] = step {
                let pair = (a.as_str().min(b.as_str()), a.as_str().max(b.as_str()));
                sides.entry(pair).or_default().ways.insert(signs::track(way.what));
            }
        }
    }
    sides
}

fn uphill(low: &Cell, high: &Cell) -> char {
    match (high.at.0 - low.at.0, high.at.1 - low.at.1) {
        (0, down) if down < 0 => '^',
        (0, _) => 'v',
        (right, _) if right > 0 => '>',
        _ => '<',
    }
}

/// What is asked about, by cell: costs, odds, a mark along a line.
fn asked<'p>(part: &'p Part<'p>) -> BTreeMap<&'p str, &'p str> {
    let mut asked = BTreeMap::new();
    for overlay in &part.scene.could {
        match overlay {
            Overlay::Reach { board, cells, .. } if *board == part.index => {
                asked.extend(cells.iter().map(|reached| (reached.cell.as_str(), reached.cost.as_str())));
            }
            Overlay::Targets { board, cells } if *board == part.index => {
                asked.extend(cells.iter().map(|target| (target.cell.as_str(), target.odds.as_str())));
            }
            Overlay::Area { board, cells, .. } if *board == part.index => {
                asked.extend(cells.iter().map(|cell| (cell.as_str(), "o")));
            }
            Overlay::Line { board, cells, open, .. } if *board == part.index => {
                let sign = if *open { "o" } else { "x" };
                asked.extend(cells.iter().map(|cell| (cell.as_str(), sign)));
            }
            _ => {}
        }
    }
    asked
}
