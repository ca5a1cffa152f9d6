//! Maps drawn with one letter per hex, a line per row.

use super::{Grid, Hex, HexGrid, Layer};

/// What is wrong with a picture of a map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PictureFault {
    /// A line for a row the map does not have.
    #[error("`{row}` is not a row of this map")]
    NoSuchRow {
        /// What the line is called.
        row: String,
    },
    /// Two lines for one row.
    #[error("row {row:02} is drawn twice")]
    Twice {
        /// The row.
        row: u16,
    },
    /// A letter the legend does not know.
    #[error("`{letter}` in hex {hex} is not in the legend")]
    Unknown {
        /// The hex.
        hex: Hex,
        /// The letter.
        letter: char,
    },
    /// A letter where the map has no hex.
    #[error("row {row:02} has a `{letter}` in column {column:02}, where the map has no hex")]
    NoHex {
        /// The row.
        row: u16,
        /// The column.
        column: u16,
        /// The letter.
        letter: char,
    },
    /// Hexes without a letter.
    #[error("hex {hex} is not drawn")]
    Blank {
        /// The hex.
        hex: Hex,
    },
}

/// Reads a picture: for every row its number and a letter for each of its columns, lowest column first. A hex the map
/// lacks is left blank; blanks at the end of a line may be left out. All faults are reported at once.
pub fn read_picture<T: Clone, R: AsRef<str>, L: AsRef<str>>(
    grid: &HexGrid,
    rows: impl IntoIterator<Item = (R, L)>,
    mut legend: impl FnMut(char) -> Option<T>,
) -> Result<Layer<T>, Vec<PictureFault>> {
    let mut drawn = Layer::filled(grid, None);
    let mut faults = Vec::new();
    let mut seen = Vec::new();
    let [first_row, last_row] = grid.frame().rows;
    let [first_column, _] = grid.frame().columns;
    for (name, line) in rows {
        let name = name.as_ref();
        let row = name.parse().ok().filter(|row| (first_row..=last_row).contains(row));
        let Some(row) = row else {
            faults.push(PictureFault::NoSuchRow { row: name.to_owned() });
            continue;
        };
        if seen.contains(&row) {
            faults.push(PictureFault::Twice { row });
            continue;
        }
        seen.push(row);
        for (column, letter) in (first_column..).zip(line.as_ref().chars()) {
            let Some(hex) = grid.at(row, column) else {
                if letter != ' ' {
                    faults.push(PictureFault::NoHex { row, column, letter });
                }
                continue;
            };
            if letter == ' ' {
                continue;
            }
            match legend(letter) {
                None => faults.push(PictureFault::Unknown { hex, letter }),
                known => {
                    if let Some(place) = drawn.get_mut(grid, hex) {
                        *place = known;
                    }
                }
            }
        }
    }
    let unknown = |faults: &[PictureFault], blank: Hex| {
        faults.iter().any(|fault| matches!(fault, PictureFault::Unknown { hex, .. } if *hex == blank))
    };
    let blank: Vec<Hex> = drawn.iter(grid).filter(|(_, value)| value.is_none()).map(|(hex, _)| hex).collect();
    for hex in blank {
        if !unknown(&faults, hex) {
            faults.push(PictureFault::Blank { hex });
        }
    }
    let mut values = Vec::with_capacity(grid.len());
    values.extend(drawn.iter(grid).filter_map(|(_, value)| value.clone()));
    if faults.is_empty() { Ok(Layer::from_values(values)) } else { Err(faults) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::any_frame;
    use crate::board::{Frame, Orientation, RowsGrow, Shifted};
    use proptest::prelude::*;

    fn small() -> HexGrid {
        HexGrid::new(Frame {
            orientation: Orientation::Pointy,
            numbering: crate::board::Numbering::RowFirst,
            rows: [1, 3],
            columns: [10, 12],
            rows_grow: RowsGrow::North,
            columns_grow: Default::default(),
            shifted: Shifted::EvenRowsEast,
            missing: [Hex::printed(212)].into(),
            source: None,
        })
        .unwrap()
    }

    fn legend(letter: char) -> Option<char> {
        ".j^".contains(letter).then_some(letter)
    }

    #[test]
    fn letters_go_into_their_columns() {
        let map = small();
        let ground = read_picture(&map, [("03", "j.."), ("02", ".^"), ("01", "..j")], legend).unwrap();
        let at = |number| *ground.get(&map, Hex::printed(number)).unwrap();
        assert_eq!([at(310), at(311), at(210), at(211), at(112)], ['j', '.', '.', '^', 'j']);
    }

    #[test]
    fn every_fault_of_a_picture_is_named() {
        let map = small();
        let rows = [("03", "j?"), ("02", "..j"), ("02", "..."), ("04", "..."), ("x", ""), ("01", ".. j")];
        let faults = read_picture(&map, rows, legend).unwrap_err();
        let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "`?` in hex 0311 is not in the legend",
                "row 02 has a `j` in column 12, where the map has no hex",
                "row 02 is drawn twice",
                "`04` is not a row of this map",
                "`x` is not a row of this map",
                "row 01 has a `j` in column 13, where the map has no hex",
                "hex 0112 is not drawn",
                "hex 0312 is not drawn",
            ]
        );
    }

    proptest! {
        #[test]
        fn a_picture_is_read_as_it_was_drawn(map in any_frame(true), seed in any::<u32>()) {
            let letter = |hex: Hex| [".", "j", "^"][((u32::from(hex.number()) * 7919) ^ seed) as usize % 3];
            let [first, last] = map.frame().rows;
            let [left, right] = map.frame().columns;
            let rows = (first..=last).map(|row| {
                let line: String = (left..=right).map(|column| map.at(row, column).map_or(" ", letter)).collect();
                (format!("{row:02}"), line)
            });
            let read = read_picture(&map, rows, legend).unwrap();
            for hex in map.cells() {
                prop_assert_eq!(read.get(&map, hex).unwrap().to_string(), letter(hex));
            }
        }
    }
}
