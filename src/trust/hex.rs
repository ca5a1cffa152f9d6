//! Byte strings of fixed length, written in hexadecimal.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::engine::digest::{from_hex, hash_bytes, to_hex};

/// `N` bytes, written as lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hex<const N: usize>(pub [u8; N]);

/// 32 bytes: a record id, state hash, link, nonce, salt, commitment or public key.
pub type Id = Hex<32>;
/// A signature.
pub type Sig = Hex<64>;

impl<const N: usize> Hex<N> {
    /// All bytes zero; what stands before the first record.
    pub const ZERO: Self = Hex([0; N]);

    /// The beginning of the text, enough for a person to tell two apart.
    pub fn short(&self) -> String {
        let mut text = self.to_string();
        text.truncate(8);
        text
    }
}

impl Id {
    /// `H(tag, lines…)` of the protocol.
    pub fn hash(tag: &str, lines: &[&str]) -> Id {
        Hex(hash_bytes(tag, lines))
    }
}

impl<const N: usize> fmt::Display for Hex<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_hex(&self.0))
    }
}

impl<const N: usize> fmt::Debug for Hex<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_hex(&self.0))
    }
}

/// Text that is not hexadecimal of the right length.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{digits} hexadecimal digits in lower case expected")]
pub struct NotHex {
    digits: usize,
}

impl<const N: usize> FromStr for Hex<N> {
    type Err = NotHex;

    fn from_str(text: &str) -> Result<Self, NotHex> {
        from_hex(text).map(Hex).ok_or(NotHex { digits: 2 * N })
    }
}

impl<const N: usize> Serialize for Hex<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, const N: usize> Deserialize<'de> for Hex<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
