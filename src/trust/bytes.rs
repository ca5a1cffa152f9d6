//! Byte strings of fixed length, written in hexadecimal.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::engine::digest::{from_hexadecimal, hash_bytes, to_hexadecimal};

/// `N` bytes, written as lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes<const N: usize>(pub [u8; N]);

/// 32 bytes: a record id, state hash, link, nonce, salt, commitment or public key.
pub type Id = Bytes<32>;
/// A signature.
pub type Sig = Bytes<64>;

impl<const N: usize> Bytes<N> {
    /// All bytes zero; what stands before the first record.
    pub const ZERO: Self = Bytes([0; N]);

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
        Bytes(hash_bytes(tag, lines))
    }
}

impl<const N: usize> fmt::Display for Bytes<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_hexadecimal(&self.0))
    }
}

impl<const N: usize> fmt::Debug for Bytes<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_hexadecimal(&self.0))
    }
}

/// Text that is not hexadecimal of the right length.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{digits} hexadecimal digits in lower case expected")]
pub struct NotBytes {
    digits: usize,
}

impl<const N: usize> FromStr for Bytes<N> {
    type Err = NotBytes;

    fn from_str(text: &str) -> Result<Self, NotBytes> {
        from_hexadecimal(text).map(Bytes).ok_or(NotBytes { digits: 2 * N })
    }
}

impl<const N: usize> Serialize for Bytes<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, const N: usize> Deserialize<'de> for Bytes<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
