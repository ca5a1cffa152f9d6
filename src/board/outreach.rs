//! Where somebody can go, said in a line: how far in each direction, and the places on the way.

use std::fmt::Write as _;

use super::{Grid, Hex, HexGrid};

/// How many places are named before the rest is left to a question.
const PLACES: usize = 8;

/// A hex in reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InReach {
    /// The hex.
    pub hex: Hex,
    /// Whether a die may stop the way there.
    pub die: bool,
    /// What the place is called; empty for most.
    pub name: String,
}

/// `61 hexes: N to 0705, NE to 0512*, SE to 0913; Siboney 0719*, Sevilla 1015`. The farthest hex of each direction, the
/// lowest of several as far; a star marks hexes that need a die on the way.
pub fn outreach(grid: &HexGrid, from: Hex, reached: &[InReach]) -> String {
    let toward: Vec<_> = grid.neighbours(from).collect();
    // A hex lies in the direction of the neighbour it is nearest to, the first of several clockwise.
    let direction =
        |hex: Hex| toward.iter().min_by_key(|(_, next)| grid.distance(*next, hex)).map(|(bearing, _)| *bearing);
    let star = |one: &InReach| if one.die { "*" } else { "" };
    let mut text = match reached.len() {
        0 => return "nowhere".to_owned(),
        1 => "1 hex".to_owned(),
        many => format!("{many} hexes"),
    };
    let mut parts = Vec::new();
    for (bearing, _) in &toward {
        let there = reached.iter().filter(|one| direction(one.hex) == Some(*bearing));
        let far = there.max_by_key(|one| (grid.distance(from, one.hex), !one.die, std::cmp::Reverse(one.hex)));
        parts.extend(far.map(|far| format!("{bearing} to {}{}", far.hex, star(far))));
    }
    let _ = write!(text, ": {}", parts.join(", "));
    let mut named: Vec<&InReach> = reached.iter().filter(|one| !one.name.is_empty()).collect();
    named.sort_by_key(|one| (grid.distance(from, one.hex), one.hex));
    if !named.is_empty() {
        let places = named.iter().take(PLACES).map(|one| format!("{} {}{}", one.name, one.hex, star(one)));
        let more = if named.len() > PLACES { ", …" } else { "" };
        let _ = write!(text, "; {}{more}", places.collect::<Vec<_>>().join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::testing::santiago_1898;
    use super::*;

    #[test]
    fn directions_name_their_farthest_hex_and_stars_the_dice() {
        let grid = santiago_1898();
        let near =
            |number: u16, die: bool, name: &str| InReach { hex: Hex::printed(number), die, name: name.to_owned() };
        let from = Hex::printed(505);
        assert_eq!(outreach(&grid, from, &[]), "nowhere");
        let reached = [near(506, false, ""), near(507, true, "El Pozo"), near(504, false, "")];
        assert_eq!(outreach(&grid, from, &reached), "3 hexes: E to 0507*, W to 0504; El Pozo 0507*");
    }
}
