//! Cells as they are printed on the map: four digits, two for each axis.

use std::fmt;
use std::str::FromStr;

use schemars::json_schema;
use serde::{Serialize, Serializer};

use crate::engine::doc::{DocPath, FromDoc, Node, Reader};

/// A text that is not the number of a cell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a {kind} number: four digits are needed, such as `0816`")]
pub struct NotANumber {
    /// What was read.
    pub text: String,
    /// What kind of cell was expected: `hex` or `box`.
    pub kind: &'static str,
}

macro_rules! printed_number {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $first:literal, $second:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u16);

        impl $name {
            /// The cell with this number, if it has at most four digits.
            pub const fn new(number: u16) -> Option<Self> {
                if number <= 9999 { Some(Self(number)) } else { None }
            }

            /// The cell with these two halves of its number, if each has at most two digits.
            pub const fn from_halves(first: u16, second: u16) -> Option<Self> {
                if first <= 99 && second <= 99 { Some(Self(first * 100 + second)) } else { None }
            }

            /// A cell named in the program itself.
            ///
            /// # Panics
            /// If the number has more than four digits; in a `const` the compiler says so.
            pub const fn printed(number: u16) -> Self {
                assert!(number <= 9999, "a printed number has four digits");
                Self(number)
            }

            /// The number as an integer.
            pub const fn number(self) -> u16 {
                self.0
            }

            #[doc = concat!("The first two digits: ", $first, ".")]
            pub const fn first(self) -> u16 {
                self.0 / 100
            }

            #[doc = concat!("The last two digits: ", $second, ".")]
            pub const fn second(self) -> u16 {
                self.0 % 100
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let digits = [self.0 / 1000, self.0 / 100 % 10, self.0 / 10 % 10, self.0 % 10];
                let text = digits.map(|digit| b'0' + digit as u8);
                f.pad(str::from_utf8(&text).map_err(|_| fmt::Error)?)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = NotANumber;

            fn from_str(text: &str) -> Result<Self, NotANumber> {
                let digits = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
                let number = if digits { text.parse().ok() } else { None };
                number.and_then(Self::new).ok_or_else(|| NotANumber { text: text.to_owned(), kind: $kind })
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        /// A number as printed, or a name of a place that the lexicon knows.
        impl FromDoc for $name {
            fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
                let name = reader.name($kind, node, at)?;
                match name.parse() {
                    Ok(cell) => Some(cell),
                    Err(error) => {
                        reader.fault(at, NotANumber::to_string(&error), "write the four digits printed on the map");
                        None
                    }
                }
            }
        }

        $crate::described!($name, generator => {
            if generator.contract().is_deserialize() {
                // A person writes `1308`, which YAML takes for a number, or the name of a place.
                json_schema!({
                    "type": ["string", "integer"],
                    "description": concat!("A ", $kind, ": the four digits of its number, or the name of a place"),
                    "x-names": $kind,
                })
            } else {
                json_schema!({
                    "type": "string",
                    "pattern": "^[0-9]{4}$",
                    "description": concat!("A ", $kind, " number of four digits"),
                })
            }
        });
    };
}

printed_number! {
    /// A hex, by the number printed in it: `0816`. What the two halves mean is the frame's business.
    Hex, "hex", "the row or the column, as the frame has it", "the other axis"
}

printed_number! {
    /// A square box, by its number: lane, then rank. `0702` is lane 7, rank 2.
    Square, "box", "the lane", "the rank"
}

/// The side between two cells: an unordered pair, always held with the lower number first.
/// Nothing here says that the two touch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Border<C> {
    low: C,
    high: C,
}

impl<C: Copy + Ord> Border<C> {
    /// The side between two cells, whichever is named first.
    pub fn new(a: C, b: C) -> Self {
        if a <= b { Self { low: a, high: b } } else { Self { low: b, high: a } }
    }
}

impl<C: fmt::Display> fmt::Display for Border<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.low, self.high)
    }
}

impl<C: fmt::Display> fmt::Debug for Border<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_hex_keeps_its_leading_zero() {
        let siboney: Hex = "0816".parse().unwrap();
        assert_eq!(siboney, Hex::printed(816));
        assert_eq!(siboney.to_string(), "0816");
        assert_eq!((siboney.first(), siboney.second()), (8, 16));
        assert_eq!(format!("{siboney:>6}"), "  0816");
    }

    #[test]
    fn anything_but_four_digits_is_refused() {
        for text in ["", "816", "08165", "08-6", "+816", " 816", "Siboney", "0816 ", "٠٨١٦"] {
            let fault = text.parse::<Hex>().unwrap_err();
            assert_eq!(fault.text, text);
        }
        assert_eq!(Hex::new(10_000), None);
        assert_eq!(Hex::from_halves(100, 1), None);
        assert_eq!(Square::from_halves(7, 2), Some(Square::printed(702)));
    }

    #[test]
    fn a_hex_is_written_with_four_digits_and_read_as_people_type_it() {
        let written = crate::engine::schema_to_write::<Hex>();
        assert_eq!(written["type"], "string");
        assert_eq!(written["pattern"], "^[0-9]{4}$");
        // `1308` without quotes, or `Siboney`.
        let read = crate::engine::schema_to_read::<Hex>();
        assert_eq!(read["type"], serde_json::json!(["string", "integer"]));
        assert!(read.get("pattern").is_none());
    }

    proptest! {
        #[test]
        fn a_number_survives_printing(number in 0u16..=9999) {
            let hex = Hex::new(number).unwrap();
            prop_assert_eq!(hex.to_string().parse::<Hex>().unwrap(), hex);
            prop_assert_eq!(Hex::from_halves(hex.first(), hex.second()), Some(hex));
        }

        #[test]
        fn numbers_sort_as_their_texts(a in 0u16..=9999, b in 0u16..=9999) {
            let (a, b) = (Hex::printed(a), Hex::printed(b));
            prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
        }

        #[test]
        fn a_side_has_no_first_cell(a in 0u16..=9999, b in 0u16..=9999) {
            prop_assume!(a != b);
            let (a, b) = (Hex::printed(a), Hex::printed(b));
            prop_assert_eq!(Border::new(a, b), Border::new(b, a));
        }
    }
}
