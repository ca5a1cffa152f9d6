//! Dice that anybody can recompute: one seed per segment, one key per labelled roll, one byte per face.
//!
//! The faces of a label come from the ChaCha20 key stream of `H("roll", seed, label)`, read byte by byte; a byte that
//! would favour the low faces is thrown away. Nothing here depends on how a random-number library draws numbers.

use std::fmt;
use std::str::FromStr;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::digest::{from_hexadecimal, hash, hash_bytes, to_hexadecimal};

/// The seed of a segment: 32 bytes, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed([u8; 32]);

impl Seed {
    /// A seed from its bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Seed(bytes)
    }

    /// The seed of the segment that `orders` (a record id) open and `link` closes.
    pub fn of_segment(orders: &str, link: &str) -> Self {
        Seed(hash_bytes("seed", &[orders, link]))
    }

    /// The seed of a secret roll: this seed mixed with the salt of the ticket spent on it.
    pub fn secret(&self, salt: &str) -> Self {
        Seed(hash_bytes("secret", &[&self.to_string(), salt]))
    }

    /// The key of one labelled roll, as `garcia roll` prints it.
    pub fn roll_key(&self, label: &str) -> String {
        hash("roll", &[&self.to_string(), label])
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_hexadecimal(&self.0))
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seed({self})")
    }
}

/// A text that is not a seed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a seed is written as 64 hexadecimal digits in lower case")]
pub struct NotASeed;

impl FromStr for Seed {
    type Err = NotASeed;

    fn from_str(text: &str) -> Result<Self, NotASeed> {
        from_hexadecimal(text).map(Seed).ok_or(NotASeed)
    }
}

/// A die with 1 to 256 sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Die(u16);

impl Die {
    /// The ordinary die.
    pub const D6: Die = Die(6);
    /// The ten-sided die; its faces are 1 to 10.
    pub const D10: Die = Die(10);

    /// A die with `sides` sides, or nothing if there is no such die.
    pub const fn new(sides: u16) -> Option<Die> {
        if sides >= 1 && sides <= 256 { Some(Die(sides)) } else { None }
    }

    /// How many sides it has.
    pub const fn sides(self) -> u16 {
        self.0
    }
}

/// The faces that `dice` show under `label` in the segment with this seed.
pub fn faces(seed: &Seed, label: &str, dice: &[Die]) -> Vec<u16> {
    let mut stream = Stream::new(hash_bytes("roll", &[&seed.to_string(), label]));
    dice.iter()
        .map(|die| {
            let sides = die.sides();
            let fair = 256 - 256 % sides;
            loop {
                let byte = u16::from(stream.byte());
                if byte < fair {
                    return byte % sides + 1;
                }
            }
        })
        .collect()
}

/// The first bytes of the key stream behind a label: what somebody who checks a roll by hand compares.
pub fn stream_bytes(seed: &Seed, label: &str, count: usize) -> Vec<u8> {
    let mut stream = Stream::new(hash_bytes("roll", &[&seed.to_string(), label]));
    (0..count).map(|_| stream.byte()).collect()
}

/// The ChaCha20 key stream, byte by byte.
///
/// The generator hands out whole words and drops what is left of them, so it is read in blocks of 64 bytes only.
#[derive(Clone)]
struct Stream {
    blocks: ChaCha20Rng,
    block: [u8; 64],
    at: usize,
}

impl Stream {
    fn new(key: [u8; 32]) -> Self {
        Stream { blocks: ChaCha20Rng::from_seed(key), block: [0; 64], at: 64 }
    }

    fn byte(&mut self) -> u8 {
        if self.at == self.block.len() {
            self.blocks.fill_bytes(&mut self.block);
            self.at = 0;
        }
        let byte = self.block[self.at];
        self.at += 1;
        byte
    }
}

/// Repeatable chance for everything that is not a die of the game: players who choose at random, generated tests.
///
/// It must never decide anything inside a resolution; there only labelled rolls count.
#[derive(Clone)]
pub struct Chance(Stream);

impl Chance {
    /// The same text gives the same choices, on every machine.
    pub fn new(seed_text: &str) -> Self {
        Chance(Stream::new(hash_bytes("chance", &[seed_text])))
    }

    /// An even choice among `0..n`; 0 if there is nothing to choose from.
    pub fn below(&mut self, n: usize) -> usize {
        let n = n as u64;
        if n < 2 {
            return 0;
        }
        let biased = (u64::MAX % n + 1) % n;
        loop {
            let word = (0..8).fold(0, |word, _| word << 8 | u64::from(self.0.byte()));
            if word <= u64::MAX - biased {
                return (word % n) as usize;
            }
        }
    }

    /// One of the things, or nothing if there are none.
    pub fn pick<'a, T>(&mut self, among: &'a [T]) -> Option<&'a T> {
        among.get(self.below(among.len()))
    }

    /// True in one case out of `n`; always true for 0 and 1.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Every order of the things is equally likely.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed() -> Seed {
        "b5603a2d0330c75fac79801b57820494eceb8b0738c68dfd771ee09f63dde4b1".parse().expect("a seed")
    }

    #[test]
    fn the_stream_is_chacha20_with_twenty_rounds() {
        let mut stream = Stream::new([0; 32]);
        let bytes: Vec<u8> = (0..16).map(|_| stream.byte()).collect();
        assert_eq!(to_hexadecimal(&bytes), "76b8e0ada0f13d90405d6ae55386bd28");
    }

    #[test]
    fn a_one_sided_die_also_takes_a_byte() {
        let one = Die::new(1).expect("a die");
        let with = faces(&seed(), "test/one", &[one, Die::D6, Die::D6]);
        let bytes = stream_bytes(&seed(), "test/one", 3);
        assert_eq!(with[0], 1);
        assert!(bytes[1..].iter().all(|b| *b < 252), "this label was chosen to need no second try");
        assert_eq!(with[1..], [u16::from(bytes[1]) % 6 + 1, u16::from(bytes[2]) % 6 + 1]);
    }

    #[test]
    fn there_is_no_die_without_sides_and_none_with_257() {
        assert_eq!(Die::new(0), None);
        assert_eq!(Die::new(257), None);
        assert_eq!(Die::new(256).map(Die::sides), Some(256));
    }

    #[test]
    fn a_seed_reads_back_and_nothing_else_is_one() {
        assert_eq!(seed().to_string().parse(), Ok(seed()));
        assert_eq!("B560".parse::<Seed>(), Err(NotASeed));
    }

    #[test]
    fn chance_repeats_itself_and_is_even() {
        let mut counts = [0u32; 7];
        let mut chance = Chance::new("evenness");
        for _ in 0..7000 {
            counts[chance.below(7)] += 1;
        }
        assert!(counts.iter().all(|c| (850..1150).contains(c)), "{counts:?}");
        let mut cards: Vec<u32> = (0..52).collect();
        Chance::new("deck").shuffle(&mut cards);
        let mut again: Vec<u32> = (0..52).collect();
        Chance::new("deck").shuffle(&mut again);
        assert_eq!(cards, again);
        assert_ne!(cards, (0..52).collect::<Vec<_>>());
        cards.sort_unstable();
        assert_eq!(cards, (0..52).collect::<Vec<_>>());
        assert_eq!(chance.pick::<u8>(&[]), None);
    }
}
