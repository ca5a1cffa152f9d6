//! Fractions: what is counted over dice is a whole number of ways out of a whole number.

use std::cmp::Ordering;
use std::fmt;

use serde::{Serialize, Serializer};

/// Where two fractions have no common denominator that fits, the sum is rounded to parts of this.
const FINE: u128 = 1_000_000_000_000_000_000;

/// A fraction of 0 or more, in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    num: u128,
    den: u128,
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Ratio {
    /// Nothing.
    pub const ZERO: Ratio = Ratio { num: 0, den: 1 };
    /// The whole.
    pub const ONE: Ratio = Ratio { num: 1, den: 1 };

    /// So many of so many; nothing of nothing is 0.
    pub fn new(num: impl Into<u128>, den: impl Into<u128>) -> Ratio {
        let (num, den) = (num.into(), den.into());
        let common = gcd(num, den);
        if den == 0 || common == 0 { Ratio::ZERO } else { Ratio { num: num / common, den: den / common } }
    }

    /// The number above the line.
    pub fn num(self) -> u128 {
        self.num
    }

    /// The number below the line.
    pub fn den(self) -> u128 {
        self.den
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, other: Ratio) -> Ratio {
        let common = gcd(self.den, other.den);
        let exact = || {
            let den = (self.den / common).checked_mul(other.den)?;
            let own = self.num.checked_mul(other.den / common)?;
            let his = other.num.checked_mul(self.den / common)?;
            Some(Ratio::new(own.checked_add(his)?, den))
        };
        exact().unwrap_or_else(|| Ratio::new(self.parts(FINE) + other.parts(FINE), FINE))
    }

    /// The difference; 0 where the other is greater.
    #[must_use]
    pub fn minus(self, other: Ratio) -> Ratio {
        let common = gcd(self.den, other.den);
        let exact = || {
            let den = (self.den / common).checked_mul(other.den)?;
            let own = self.num.checked_mul(other.den / common)?;
            let his = other.num.checked_mul(self.den / common)?;
            Some(Ratio::new(own.saturating_sub(his), den))
        };
        exact().unwrap_or_else(|| Ratio::new(self.parts(FINE).saturating_sub(other.parts(FINE)), FINE))
    }

    /// The product.
    #[must_use]
    pub fn times(self, other: Ratio) -> Ratio {
        let (a, b) = (gcd(self.num, other.den).max(1), gcd(other.num, self.den).max(1));
        let exact = || {
            let num = (self.num / a).checked_mul(other.num / b)?;
            Some(Ratio::new(num, (self.den / b).checked_mul(other.den / a)?))
        };
        exact().unwrap_or_else(|| {
            const HALF: u128 = 1_000_000_000;
            Ratio::new(self.parts(HALF) * other.parts(HALF), HALF * HALF)
        })
    }

    /// Rounded to parts of so many: the per mille are `parts(1000)`.
    pub fn parts(self, of: u128) -> u128 {
        let whole = (self.num / self.den).saturating_mul(of);
        let rest = self.num % self.den;
        let part = match rest.checked_mul(of).and_then(|ways| ways.checked_mul(2)) {
            Some(twice) => (twice / self.den).div_ceil(2),
            // Too fine to be multiplied out: the last digits of both sides cannot matter.
            None => {
                let coarse = (self.den / FINE).max(1);
                ((rest / coarse).saturating_mul(of) / (self.den / coarse)).min(of)
            }
        };
        whole.saturating_add(part)
    }

    /// `37.5%`.
    pub fn percent(self) -> String {
        let tenths = self.parts(1000);
        match tenths {
            // What can happen is never told as if it could not, nor what can fail as certain.
            0 if self.num > 0 => "<0.1%".to_owned(),
            1000 if self.num < self.den => ">99.9%".to_owned(),
            _ => format!("{}.{}%", tenths / 10, tenths % 10),
        }
    }

    /// A mean to two places: `1.33`.
    pub fn mean(self) -> String {
        let hundredths = self.parts(100);
        format!("{}.{:02}", hundredths / 100, hundredths % 100)
    }

    /// The square root, rounded down to parts of a million.
    #[must_use]
    pub fn root(self) -> Ratio {
        const MILLION: u128 = 1_000_000;
        Ratio::new(self.parts(MILLION * MILLION).isqrt(), MILLION)
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> Ordering {
        match (self.num.checked_mul(other.den), other.num.checked_mul(self.den)) {
            (Some(own), Some(his)) => own.cmp(&his),
            _ => self.parts(FINE).cmp(&other.parts(FINE)),
        }
    }
}

impl fmt::Display for Ratio {
    /// `5/36`, `1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.den == 1 { write!(f, "{}", self.num) } else { write!(f, "{}/{}", self.num, self.den) }
    }
}

impl Serialize for Ratio {
    /// As it is written.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_kept_in_lowest_terms() {
        let half = Ratio::new(3u32, 6u32);
        assert_eq!(half.to_string(), "1/2");
        assert_eq!(half.plus(Ratio::new(1u32, 3u32)).to_string(), "5/6");
        assert_eq!(half.minus(Ratio::new(1u32, 3u32)).to_string(), "1/6");
        assert_eq!(Ratio::new(1u32, 3u32).minus(half), Ratio::ZERO);
        assert_eq!(half.times(half).to_string(), "1/4");
        assert_eq!(half.plus(half), Ratio::ONE);
        assert_eq!(Ratio::new(0u32, 0u32), Ratio::ZERO);
    }

    #[test]
    fn a_chance_is_never_told_as_certain_or_impossible_if_it_is_not() {
        assert_eq!(Ratio::new(1u32, 3u32).percent(), "33.3%");
        assert_eq!(Ratio::new(2u32, 3u32).percent(), "66.7%");
        assert_eq!(Ratio::new(1u32, 10_000u32).percent(), "<0.1%");
        assert_eq!(Ratio::new(9_999u32, 10_000u32).percent(), ">99.9%");
        assert_eq!(Ratio::ZERO.percent(), "0.0%");
        assert_eq!(Ratio::ONE.percent(), "100.0%");
        assert_eq!(Ratio::new(4u32, 3u32).mean(), "1.33");
    }

    #[test]
    fn a_sum_without_a_common_denominator_is_rounded_and_stays_close() {
        let mut sum = Ratio::ZERO;
        let mut piece = Ratio::ONE;
        for prime in
            [2u32, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101]
        {
            piece = piece.times(Ratio::new(prime - 1, prime));
            sum = sum.plus(Ratio::new(1u32, prime));
        }
        // Reckoned by hand: the sum of the reciprocals of the primes up to 101 is 1.8127…, the product 0.1191….
        assert_eq!(sum.parts(1000), 1813);
        assert_eq!(piece.parts(1000), 119);
        assert_eq!(Ratio::new(2u32, 1u32).root().parts(10_000), 14_142);
    }
}
