//! Tables: results by column and die.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use super::Loader;
use crate::document;
use crate::engine::doc::{DocPath, Fields, FromDoc, Node, Reader};

/// Something for every number a die can show. A die below or above the rows is read on the first or last of them, which
/// may be written so: `"<=0"`, `">=8"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows<R>(BTreeMap<i32, R>);

impl<R> Rows<R> {
    /// The row for a die, first and last row standing for everything beyond them; none only if there are no rows.
    pub fn at(&self, die: i32) -> Option<&R> {
        let (first, last) = (*self.0.keys().next()?, *self.0.keys().next_back()?);
        self.0.get(&die.clamp(first, last))
    }

    /// Every row with its number.
    pub fn iter(&self) -> impl Iterator<Item = (i32, &R)> {
        self.0.iter().map(|(number, row)| (*number, row))
    }

    /// How many rows there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl<R: FromDoc> FromDoc for Rows<R> {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let faults = reader.faults.len();
        Fields::open(node, at, reader)?;
        let mut rows = BTreeMap::new();
        for (name, node) in node.as_map()? {
            let digits = name.strip_prefix("<=").or_else(|| name.strip_prefix(">=")).unwrap_or(name);
            let row = R::read(node, &at.key(name), reader);
            let Ok(number) = digits.parse::<i32>() else {
                reader.fault(&at.name(name), format!("`{name}` is no number of a die"), "write `1`, `<=0` or `>=8`");
                continue;
            };
            if let Some(row) = row
                && rows.insert(number, row).is_some()
            {
                reader.fault(&at.name(name), format!("row {number} stands here twice"), "keep one of the two");
            }
        }
        let whole = match (rows.keys().next(), rows.keys().next_back()) {
            (Some(first), Some(last)) => i64::from(*last) - i64::from(*first) < rows.len() as i64,
            _ => false,
        };
        if !whole && reader.faults.len() == faults {
            reader.fault(at, "a row is missing", "give one row for each number of the die");
        }
        (reader.faults.len() == faults).then_some(Rows(rows))
    }
}

impl<R: Serialize> Serialize for Rows<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<R: JsonSchema> JsonSchema for Rows<R> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("RowsOf{}", R::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let row = generator.subschema_for::<R>();
        schemars::json_schema!({ "type": "object", "additionalProperties": row })
    }
}

document! {
    /// A table: columns from left to right, and a cell of each for every die.
    pub struct Table<C, R> {
        /// The columns, lowest first. Where they stand for ranges, each is the least number of its range.
        pub columns: Vec<C>,
        /// A cell for each column, by die.
        pub rows: Rows<Vec<R>>,
    }
}

impl<C: Ord, R: Copy> Table<C, R> {
    /// Notes what is wrong with the shape of a table.
    pub fn check(&self, loader: &mut Loader<'_>, file: &str, at: &DocPath) {
        if self.columns.is_empty() || !self.columns.is_sorted_by(|a, b| a < b) {
            loader.fault(file, &at.key("columns"), "columns must grow from left to right", "put them in order");
        }
        for (die, row) in self.rows.iter().filter(|(_, row)| row.len() != self.columns.len()) {
            let what = format!("row {die} has {} cells for {} columns", row.len(), self.columns.len());
            loader.fault(file, &at.key("rows").key(&die.to_string()), what, "give one cell for each column");
        }
    }

    /// The column a value falls into: the last that it reaches; none below the first.
    pub fn column(&self, value: &C) -> Option<usize> {
        self.columns.iter().rposition(|least| least <= value)
    }

    /// The column so many to the right (or left), never past the ends.
    pub fn shifted(&self, column: usize, by: i32) -> usize {
        let last = self.columns.len().saturating_sub(1);
        column.saturating_add_signed(isize::try_from(by).unwrap_or(0)).min(last)
    }

    /// The cell of a column for a die.
    pub fn cell(&self, column: usize, die: i32) -> Option<R> {
        self.rows.at(die)?.get(column).copied()
    }

    /// The cell for a value and a die; none below the first column.
    pub fn result(&self, value: &C, die: i32) -> Option<R> {
        self.cell(self.column(value)?, die)
    }
}

impl<R> Table<u32, R> {
    /// A column of ranges as it is printed: `7-10`, `21+`.
    pub fn label(&self, column: usize) -> Option<String> {
        let least = self.columns.get(column)?;
        Some(match self.columns.get(column + 1) {
            Some(next) => format!("{least}-{}", next.saturating_sub(1)),
            None => format!("{least}+"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::doc::{PlainTexts, read_as, read_document};

    fn read(text: &str) -> Result<Table<u32, u8>, Vec<String>> {
        let (node, _) = read_document("table", text.as_bytes()).unwrap();
        let said = |faults: Vec<crate::engine::doc::Fault>| faults.into_iter().map(|fault| fault.what).collect();
        read_as(&node, &PlainTexts).map(|(table, _)| table).map_err(said)
    }

    #[test]
    fn a_die_beyond_the_rows_is_read_on_the_last_and_a_value_in_the_column_it_reaches() {
        let table = read("columns: [1, 4, 7]\nrows: {\"<=0\": [0, 0, 1], 1: [0, 1, 2], \">=2\": [1, 2, 3]}\n").unwrap();
        assert_eq!(table.result(&6, 1), Some(1));
        assert_eq!(table.result(&0, 1), None);
        assert_eq!(table.result(&99, 9), Some(3));
        assert_eq!(table.result(&1, -5), Some(0));
        assert_eq!([0, 1, 2].map(|column| table.label(column).unwrap()), ["1-3", "4-6", "7+"]);
        assert_eq!([-9, -1, 0, 1, 9].map(|by| table.shifted(1, by)), [0, 0, 1, 2, 2]);
    }

    #[test]
    fn a_table_with_a_hole_is_refused() {
        assert_eq!(read("columns: [1]\nrows: {1: [1], 3: [1]}\n"), Err(vec!["a row is missing".to_owned()]));
        assert_eq!(read("columns: [1]\nrows: {}\n"), Err(vec!["a row is missing".to_owned()]));
        assert_eq!(read("columns: [1]\nrows: {x: [1]}\n"), Err(vec!["`x` is no number of a die".to_owned()]));
    }
}
