//! Movement points and factors with halves and quarters, counted exactly in their smallest part.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::engine::doc::{DocPath, FromDoc, Node, Reader};

/// An exact number of points, counted in parts of `1/PARTS`; quarters unless told otherwise.
///
/// `Points<1>` has whole points only, `Points<2>` halves. Sums and differences made with `+` and `-` stay within the
/// range instead of wrapping; the `checked_` ones say when they would leave it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Points<const PARTS: u32 = 4>(u32);

/// A text that is no number of points, or one too fine for them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a number of points in parts of 1/{parts}")]
pub struct NotPoints {
    /// What was read.
    pub text: String,
    /// The smallest part there is.
    pub parts: u32,
}

/// The fractions that have a sign of their own.
const SIGNS: [(u32, u32, char); 9] = [
    (1, 2, '½'),
    (1, 3, '⅓'),
    (2, 3, '⅔'),
    (1, 4, '¼'),
    (3, 4, '¾'),
    (1, 8, '⅛'),
    (3, 8, '⅜'),
    (5, 8, '⅝'),
    (7, 8, '⅞'),
];

impl<const PARTS: u32> Points<PARTS> {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// More than any purse: for a search that nothing limits.
    pub const MAX: Self = Self(u32::MAX);

    /// This many whole points.
    pub const fn whole(points: u32) -> Self {
        Self(points.saturating_mul(PARTS))
    }

    /// This many of the smallest parts.
    pub const fn from_parts(parts: u32) -> Self {
        Self(parts)
    }

    /// `above/below` points, if that is a whole number of parts.
    pub const fn ratio(above: u32, below: u32) -> Option<Self> {
        let Some(parts) = above.checked_mul(PARTS) else {
            return None;
        };
        if below == 0 || !parts.is_multiple_of(below) { None } else { Some(Self(parts / below)) }
    }

    /// The number of smallest parts.
    pub const fn parts(self) -> u32 {
        self.0
    }

    /// The whole points in it, fractions dropped.
    pub const fn floor(self) -> u32 {
        self.0 / PARTS
    }

    /// Nothing at all?
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The half of it, if that is a whole number of parts.
    pub const fn half(self) -> Option<Self> {
        if self.0.is_multiple_of(2) { Some(Self(self.0 / 2)) } else { None }
    }

    /// The sum, if it is in range.
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// What is left after paying, if there is enough.
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(rest) => Some(Self(rest)),
            None => None,
        }
    }

    /// So many times as much, or the most there is.
    pub const fn times(self, factor: u32) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl<const PARTS: u32> Add for Points<PARTS> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl<const PARTS: u32> AddAssign for Points<PARTS> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<const PARTS: u32> Sub for Points<PARTS> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl<const PARTS: u32> Sum for Points<PARTS> {
    fn sum<I: Iterator<Item = Self>>(points: I) -> Self {
        points.fold(Self::ZERO, Add::add)
    }
}

impl<const PARTS: u32> fmt::Display for Points<PARTS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / PARTS, self.0 % PARTS);
        if rest == 0 {
            return f.pad(&whole.to_string());
        }
        let shared = common_divisor(rest, PARTS);
        let (above, below) = (rest / shared, PARTS / shared);
        let sign = SIGNS.iter().find(|&&(a, b, _)| (a, b) == (above, below)).map(|&(_, _, sign)| sign);
        let text = match (whole, sign) {
            (0, Some(sign)) => sign.to_string(),
            (0, None) => format!("{above}/{below}"),
            (_, Some(sign)) => format!("{whole}{sign}"),
            (_, None) => format!("{whole} {above}/{below}"),
        };
        f.pad(&text)
    }
}

impl<const PARTS: u32> fmt::Debug for Points<PARTS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<const PARTS: u32> FromStr for Points<PARTS> {
    type Err = NotPoints;

    /// Reads `2`, `2½`, `1/4`, `2 1/2` and `2.5`.
    fn from_str(text: &str) -> Result<Self, NotPoints> {
        read(text.trim()).ok_or_else(|| NotPoints { text: text.to_owned(), parts: PARTS })
    }
}

fn read<const PARTS: u32>(text: &str) -> Option<Points<PARTS>> {
    let digits = |text: &str| -> Option<u32> {
        let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if plain { text.parse().ok() } else { None }
    };
    let whole = |text: &str| digits(text)?.checked_mul(PARTS).map(Points);
    if let Some(&(above, below, sign)) = SIGNS.iter().find(|&&(_, _, sign)| text.ends_with(sign)) {
        let before = text.strip_suffix(sign)?.trim_end();
        let before = if before.is_empty() { Points::ZERO } else { whole(before)? };
        return before.checked_add(Points::ratio(above, below)?);
    }
    if let Some((left, below)) = text.split_once('/') {
        let (before, above) = left.rsplit_once(' ').unwrap_or(("", left));
        let before = if before.is_empty() { Points::ZERO } else { whole(before.trim_end())? };
        return before.checked_add(Points::ratio(digits(above)?, digits(below)?)?);
    }
    if let Some((before, after)) = text.split_once('.') {
        let below = 10u32.checked_pow(u32::try_from(after.len()).ok()?)?;
        return whole(before)?.checked_add(Points::ratio(digits(after)?, below)?);
    }
    whole(text)
}

fn common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

impl<const PARTS: u32> Serialize for Points<PARTS> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<const PARTS: u32> FromDoc for Points<PARTS> {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, at, "a number of points")?;
        let fault = |error: NotPoints| reader.fault(at, error.to_string(), "write `2`, `2½` or `1/4`");
        text.parse().map_err(fault).ok()
    }
}

impl<const PARTS: u32> JsonSchema for Points<PARTS> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Points".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "number"], "description": "A number of points such as `2`, `2½` or `1/4`" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::doc::{PlainTexts, read_as};
    use proptest::prelude::*;

    #[test]
    fn points_read_as_a_player_writes_them() {
        let text = |parts| Points::<4>::from_parts(parts).to_string();
        assert_eq!([0, 1, 2, 3, 4, 8, 10, 11].map(text), ["0", "¼", "½", "¾", "1", "2", "2½", "2¾"]);
        assert_eq!(Points::<3>::from_parts(7).to_string(), "2⅓");
        assert_eq!(Points::<16>::from_parts(35).to_string(), "2 3/16");
        for two_and_a_half in ["2½", "2 1/2", "2.5", "2.50", "5/2", " 2½ ", "10/4"] {
            assert_eq!(two_and_a_half.parse(), Ok(Points::<4>::from_parts(10)), "{two_and_a_half}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for text in ["", "½½", "1/3", "0.3", "1/0", "-1", "2.", ".5", "2,5", "/", "1/", "x", "4294967295", "+1"] {
            assert!(text.parse::<Points<4>>().is_err(), "{text}");
        }
        assert!("½".parse::<Points<1>>().is_err());
        assert_eq!(Points::<4>::ratio(1, 3), None);
        assert_eq!(Points::<4>::from_parts(3).half(), None);
    }

    #[test]
    fn sums_never_wrap() {
        let most = Points::<4>::MAX;
        assert_eq!(most + Points::whole(1), most);
        assert_eq!(most.checked_add(Points::from_parts(1)), None);
        assert_eq!(Points::<4>::whole(1) - Points::whole(2), Points::ZERO);
        assert_eq!(Points::<4>::whole(1).checked_sub(Points::whole(2)), None);
        assert_eq!(Points::<4>::whole(u32::MAX), most);
        assert_eq!(most.times(2), most);
    }

    #[test]
    fn halves_round_either_way() {
        let points: Points<2> = "3½".parse().unwrap();
        assert_eq!(points.floor(), 3);
        assert_eq!(Points::<2>::whole(3).half(), Some(Points::from_parts(3)));
        let all: Points<2> = ["½", "1", "1½"].iter().map(|text| text.parse::<Points<2>>().unwrap()).sum();
        assert_eq!(all, Points::whole(3));
    }

    #[test]
    fn files_carry_points_as_text() {
        let points = Points::<4>::from_parts(10);
        assert_eq!(serde_json::to_string(&points).unwrap(), r#""2½""#);
        let read = |text| read_as::<Points<4>>(&Node::text(text), &PlainTexts).map(|(points, _)| points);
        assert_eq!(read("2.5"), Ok(points));
        assert_eq!(read("½"), Ok(Points::from_parts(2)));
        assert!(read("2.3").is_err());
    }

    proptest! {
        #[test]
        fn points_survive_printing(parts: u32) {
            prop_assert_eq!(Points::<4>::from_parts(parts).to_string().parse(), Ok(Points::<4>::from_parts(parts)));
            prop_assert_eq!(Points::<12>::from_parts(parts).to_string().parse(), Ok(Points::<12>::from_parts(parts)));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[0-9 ./½¼]{0,8}") {
            if let Ok(points) = text.parse::<Points<4>>() {
                prop_assert_eq!(points.to_string().parse(), Ok(points));
            }
        }

        #[test]
        fn paying_back_restores_the_purse(a in 0u32..1_000_000, b in 0u32..1_000_000) {
            let (a, b) = (Points::<4>::from_parts(a), Points::from_parts(b));
            prop_assert_eq!((a + b) - b, a);
            prop_assert_eq!(a.checked_sub(b).is_some(), a >= b);
        }
    }
}
