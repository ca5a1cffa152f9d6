//! A hex map as its file describes it, and the map drawn from it.
//!
//! All hex games write their map alike: a [`Frame`], the terrain as a picture with a legend ([`Drawn`]), roads hex by hex
//! ([`LineEntry`]), rivers and the like by hexsides ([`SidesEntry`]), places and works by hex. Which of these a game has,
//! and by which key, is its own affair; it puts the entries together in a `document!` and hands them to a [`Sheet`].

use std::collections::BTreeMap;

use super::{Feature, Frame, Grid, Hex, HexGrid, Layer, Terrain};
use crate::document;
use crate::engine::data::{Loader, Provenance, at};
use crate::engine::doc::{DocPath, Spelled, fold};

document! {
    /// Something that is different in every hex, drawn with a sign for each.
    pub struct Drawn<T> {
        /// What the signs of the picture stand for.
        pub legend: BTreeMap<String, T>,
        /// Where the picture comes from.
        pub source: Provenance,
        /// Hexes with a source of their own.
        pub known: Vec<KnownHex<T>>,
        /// A line of signs for each row of hexes, westernmost column first; a blank where the map has no hex.
        pub picture: BTreeMap<String, String>,
    }

    /// A hex of a picture that is better known than the others.
    pub struct KnownHex<T> {
        /// The hex.
        pub hex: Hex,
        /// What the picture must show there.
        pub is: Option<T>,
        /// Where it comes from.
        pub source: Provenance,
    }

    /// A hex with its source.
    pub struct HexEntry {
        /// The hex.
        pub hex: Hex,
        /// Where it comes from.
        pub source: Provenance,
    }

    /// Several hexes with one source.
    pub struct HexList {
        /// The hexes.
        pub hexes: Vec<Hex>,
        /// Where they come from.
        pub source: Provenance,
    }

    /// A place and the names it answers to.
    pub struct PlaceEntry {
        /// The hex.
        pub hex: Hex,
        /// Its names, the printed one first.
        pub names: Vec<String>,
        /// Where they come from.
        pub source: Provenance,
    }

    /// A road or railroad.
    pub struct LineEntry {
        /// What it is called.
        pub name: String,
        /// Where it comes from.
        pub source: Provenance,
        /// Its hexes in order.
        pub path: Vec<Hex>,
    }

    /// A river, a bridge, a trench: something along hexsides.
    pub struct SidesEntry {
        /// What it is called.
        pub name: Option<String>,
        /// Where it comes from.
        pub source: Provenance,
        /// The hexsides, each as the two hexes it lies between.
        pub sides: Vec<(Hex, Hex)>,
    }
}

/// The grid of a map file.
pub fn grid(loader: &mut Loader<'_>, file: &'static str, frame: &Frame) -> Option<HexGrid> {
    let grid = HexGrid::new(frame.clone());
    let fault = |error: super::FrameFault| {
        loader.fault(file, &at("frame"), error.to_string(), "describe the frame of the printed map");
    };
    grid.map_err(fault).ok()
}

/// What a picture shows in every hex; every row must be there and every sign in the legend.
pub fn drawn<T: Spelled>(
    loader: &mut Loader<'_>,
    file: &'static str,
    grid: &HexGrid,
    key: &str,
    drawn: &Drawn<T>,
) -> Option<Layer<T>> {
    let before = loader.faults();
    let picture = at(key).key("picture");
    let [first_row, last_row] = grid.frame().rows;
    let [first_column, last_column] = grid.frame().columns;
    let mut ground: Layer<Option<T>> = Layer::filled(grid, None);
    for row in first_row..=last_row {
        let name = format!("{row:02}");
        let Some(line) = drawn.picture.get(&name) else {
            loader.fault(file, &picture, format!("row {name} is not drawn"), format!("add `\"{name}\": …`"));
            continue;
        };
        let row_at = picture.key(&name);
        let mut signs = line.chars();
        for column in first_column..=last_column {
            let (sign, hex) = (signs.next().unwrap_or(' '), grid.at(row, column));
            let value = drawn.legend.get(sign.encode_utf8(&mut [0; 4]) as &str);
            match (hex, value) {
                (None, _) if sign == ' ' => {}
                (None, _) => {
                    let what = format!("`{sign}` stands in column {column:02}, where the map has no hex");
                    loader.fault(file, &row_at, what, "leave a blank there");
                }
                (Some(hex), None) if sign == ' ' => {
                    loader.fault(file, &row_at, format!("hex {hex} is not drawn"), "draw one sign for each hex");
                }
                (Some(hex), None) => {
                    let signs: Vec<&str> = drawn.legend.keys().map(String::as_str).collect();
                    let what = format!("`{sign}` in hex {hex} is not in the legend");
                    loader.fault(file, &row_at, what, format!("the signs are {}", signs.join(" ")));
                }
                (Some(hex), Some(value)) => {
                    if let Some(place) = ground.get_mut(grid, hex) {
                        *place = Some(value.clone());
                    }
                }
            }
        }
        if signs.any(|sign| sign != ' ') {
            let what = format!("row {name} goes on after column {last_column:02}");
            loader.fault(file, &row_at, what, "draw one sign for each hex");
        }
    }
    for name in drawn.picture.keys() {
        let row = name.parse().ok().filter(|row| (first_row..=last_row).contains(row));
        if row.is_none_or(|row| format!("{row:02}") != *name) {
            loader.fault(file, &picture.key(name), format!("`{name}` is no row of the frame"), "use two digits");
        }
    }
    for (index, known) in drawn.known.iter().enumerate() {
        let shown = ground.get(grid, known.hex).and_then(Option::as_ref);
        if known.is.as_ref().is_some_and(|is| shown.is_some_and(|shown| shown != is)) || !grid.contains(known.hex) {
            let what = format!("the picture does not show {} so", known.hex);
            loader.fault(file, &at(key).key("known").index(index), what, "change one of the two");
        }
    }
    let whole = loader.faults() == before;
    let values = ground.iter(grid).filter_map(|(_, value)| value.clone()).collect();
    whole.then(|| Layer::from_values(values))
}

/// A road, railroad, river or trench that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The hexes it leads through, in order.
    pub hexes: Vec<Hex>,
    /// The hexsides it lies along, in order.
    pub sides: Vec<(Hex, Hex)>,
}

/// A map in the drawing. What does not fit is noted with its place in the file.
pub struct Sheet<'l, 'f, T, F> {
    loader: &'l mut Loader<'f>,
    file: &'static str,
    is_land: fn(&T) -> bool,
    /// What has been drawn so far.
    pub map: Terrain<HexGrid, T, F>,
    /// The names of what has been drawn.
    pub named: Vec<Named>,
}

impl<'l, 'f, T: Copy, F: Feature> Sheet<'l, 'f, T, F> {
    /// A map with this ground and nothing on it; units can stand where `is_land` says so.
    pub fn new(
        loader: &'l mut Loader<'f>,
        file: &'static str,
        map: Terrain<HexGrid, T, F>,
        is_land: fn(&T) -> bool,
    ) -> Self {
        Sheet { loader, file, is_land, map, named: Vec::new() }
    }

    /// Is the hex on the map?
    pub fn on_map(&mut self, hex: Hex, at: &DocPath) -> bool {
        let on_map = self.map.grid().contains(hex);
        if !on_map {
            self.loader.fault(self.file, at, format!("{hex} is not on the map"), "name a hex within the frame");
        }
        on_map
    }

    /// Can units stand in the hex?
    pub fn on_land(&mut self, hex: Hex, at: &DocPath) -> bool {
        let land = self.on_map(hex, at) && self.map.ground(hex).is_some_and(|ground| (self.is_land)(&ground));
        if !land && self.map.grid().contains(hex) {
            self.loader.fault(self.file, at, format!("{hex} is all water"), "name a land hex, or draw it as land");
        }
        land
    }

    /// Draws something into land hexes.
    pub fn works<'e>(&mut self, key: &str, entries: impl IntoIterator<Item = &'e HexEntry>, draw: fn(&mut T)) {
        for (index, entry) in entries.into_iter().enumerate() {
            self.work(entry.hex, &at(key).index(index).key("hex"), draw);
        }
    }

    /// Draws something into one land hex.
    pub fn work(&mut self, hex: Hex, at: &DocPath, draw: fn(&mut T)) {
        if self.on_land(hex, at) {
            self.map.change(hex, draw);
        }
    }

    /// Draws something into listed hexes.
    pub fn list(&mut self, key: &str, list: &HexList, draw: fn(&mut T)) {
        for (index, &hex) in list.hexes.iter().enumerate() {
            if self.on_map(hex, &at(key).key("hexes").index(index)) {
                self.map.change(hex, draw);
            }
        }
    }

    /// Draws roads along hexsides and into the land hexes they pass.
    pub fn lines(&mut self, key: &str, lines: &[LineEntry], feature: F, draw: fn(&mut T)) {
        for (index, line) in lines.iter().enumerate() {
            let at = at(key).index(index).key("path");
            self.named.push(Named { name: line.name.clone(), hexes: line.path.clone(), sides: Vec::new() });
            for (index, &hex) in line.path.iter().enumerate() {
                self.work(hex, &at.index(index), draw);
            }
            for (index, pair) in line.path.windows(2).enumerate() {
                if let [a, b] = *pair {
                    let marked = self.map.mark(a, b, feature).is_ok();
                    self.touching(marked, a, b, &at.index(index + 1));
                }
            }
        }
    }

    /// Draws something along hexsides, alike from both sides.
    pub fn sides(&mut self, key: &str, entries: &[SidesEntry], feature: F) {
        self.along(key, entries, |map, a, b| map.mark(a, b, feature).is_ok());
    }

    /// Draws something along hexsides that is met on going from the second hex to the first.
    pub fn facing(&mut self, key: &str, entries: &[SidesEntry], feature: F) {
        self.along(key, entries, |map, a, b| map.mark_towards(b, a, feature).is_ok());
    }

    fn along(
        &mut self,
        key: &str,
        entries: &[SidesEntry],
        mut mark: impl FnMut(&mut Terrain<HexGrid, T, F>, Hex, Hex) -> bool,
    ) {
        for (index, entry) in entries.iter().enumerate() {
            if let Some(name) = &entry.name {
                self.named.push(Named { name: name.clone(), hexes: Vec::new(), sides: entry.sides.clone() });
            }
            for (side, &(a, b)) in entry.sides.iter().enumerate() {
                let marked = mark(&mut self.map, a, b);
                self.touching(marked, a, b, &at(key).index(index).key("sides").index(side));
            }
        }
    }

    fn touching(&mut self, touch: bool, a: Hex, b: Hex, at: &DocPath) {
        if !touch {
            self.loader.fault(self.file, at, format!("{a} and {b} do not touch"), "name two neighbouring hexes");
        }
    }

    /// The hexes that names stand for, folded; no name stands for two.
    pub fn names<'e>(
        &mut self,
        parts: impl IntoIterator<Item = (&'static str, &'e [PlaceEntry])>,
    ) -> BTreeMap<String, Hex> {
        let mut names: BTreeMap<String, Hex> = BTreeMap::new();
        for (key, places) in parts {
            for (index, place) in places.iter().enumerate() {
                let at = at(key).index(index);
                self.on_map(place.hex, &at.key("hex"));
                for (index, name) in place.names.iter().enumerate() {
                    let other = names.insert(fold(name), place.hex).filter(|other| *other != place.hex);
                    if let Some(other) = other {
                        let what = format!("`{name}` is already the name of {other}");
                        let at = at.key("names").index(index);
                        self.loader.fault(self.file, &at, what, "give each place a name of its own");
                    }
                }
            }
        }
        names
    }
}
