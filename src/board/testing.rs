//! Boards for the tests of this room.

use proptest::prelude::*;

use super::*;

/// Hexes by number.
pub fn hexes(numbers: &[u16]) -> Vec<Hex> {
    numbers.iter().map(|&number| Hex::printed(number)).collect()
}

fn romero(rows: u16, columns: u16) -> Frame {
    Frame {
        orientation: Orientation::Pointy,
        numbering: Numbering::RowFirst,
        rows: [1, rows],
        columns: [1, columns],
        rows_grow: RowsGrow::North,
        shifted: Shifted::EvenRowsEast,
        missing: Vec::new(),
        source: None,
    }
}

/// The one-mile map: row and column, rows from south to north, even rows half a hex east.
pub fn santiago_1898() -> HexGrid {
    HexGrid::new(romero(19, 24)).unwrap()
}

/// The fifth-of-a-mile map: the same make, with a hex less in the even rows.
pub fn splendid_little_war() -> HexGrid {
    let missing = (2..=28).step_by(2).filter_map(|row| Hex::from_halves(row, 37)).collect();
    HexGrid::new(Frame { missing, ..romero(29, 37) }).unwrap()
}

/// The half-mile map: column and row, rows from north to south, odd columns half a hex south.
pub fn santiago_campaign() -> HexGrid {
    HexGrid::new(Frame {
        orientation: Orientation::Flat,
        numbering: Numbering::ColumnFirst,
        rows: [1, 28],
        columns: [10, 60],
        rows_grow: RowsGrow::South,
        shifted: Shifted::OddColumnsSouth,
        missing: Vec::new(),
        source: None,
    })
    .unwrap()
}

/// The Heights: thirteen lanes from north to south, nine ranks from west to east.
pub fn heights() -> SquareGrid {
    SquareGrid::new(SquareFrame {
        lanes: Axis { first: 1, last: 13, grow: Facing::S },
        ranks: Axis { first: 1, last: 9, grow: Facing::E },
    })
    .unwrap()
}

/// A hex map of any make and up to nine rows and columns, with or without holes. It has at least one hex.
pub fn any_frame(holes: bool) -> impl Strategy<Value = HexGrid> {
    let axes = (0u16..=90, 1u16..=9, 0u16..=90, 1u16..=9);
    let holes_at = prop::collection::vec(any::<prop::sample::Index>(), 0..8);
    (axes, any::<[bool; 2]>(), 0usize..8, holes_at).prop_map(
        move |((row, rows, column, columns), [row_first, north], shifted, picks)| {
            let shifted = Shifted::ALL[shifted];
            let mut frame = Frame {
                orientation: shifted.orientation(),
                numbering: if row_first { Numbering::RowFirst } else { Numbering::ColumnFirst },
                rows: [row, row + rows - 1],
                columns: [column, column + columns - 1],
                rows_grow: if north { RowsGrow::North } else { RowsGrow::South },
                shifted,
                missing: Vec::new(),
                source: None,
            };
            if holes {
                let whole = HexGrid::new(frame.clone()).unwrap();
                frame.missing = picks.iter().filter_map(|pick| whole.cell(pick.index(whole.len()))).collect();
                frame.missing.sort();
                frame.missing.dedup();
                if frame.missing.len() == whole.len() {
                    frame.missing.clear();
                }
            }
            HexGrid::new(frame).unwrap()
        },
    )
}

/// A board of boxes with up to nine lanes and ranks, numbered any way round.
pub fn any_boxes() -> impl Strategy<Value = SquareGrid> {
    (0u16..=90, 1u16..=9, 0u16..=90, 1u16..=9, 0usize..4, any::<bool>()).prop_map(
        |(lane, lanes, rank, ranks, grow, left)| {
            let grow = Facing::ALL[grow];
            SquareGrid::new(SquareFrame {
                lanes: Axis { first: lane, last: lane + lanes - 1, grow },
                ranks: Axis {
                    first: rank,
                    last: rank + ranks - 1,
                    grow: if left { grow.left() } else { grow.right() },
                },
            })
            .unwrap()
        },
    )
}
