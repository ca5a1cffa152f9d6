//! The one hash of the protocol, and hexadecimal text.
//!
//! Every digest is SHA-256 over lines that begin with what the digest is for, so that no text can be taken for another.

use sha2::{Digest, Sha256};

/// `H(tag, lines…)`: lower-case hex of SHA-256 over `garcia/1/<tag>` and the lines, each ended by a line feed.
///
/// A line must not contain a line feed itself; canonical JSON, hex and labels never do.
pub fn hash(tag: &str, lines: &[&str]) -> String {
    to_hexadecimal(&hash_bytes(tag, lines))
}

/// The same as [`hash`], as bytes.
pub fn hash_bytes(tag: &str, lines: &[&str]) -> [u8; 32] {
    let mut sha = Sha256::new();
    sha.update(b"garcia/1/");
    sha.update(tag);
    sha.update(b"\n");
    for line in lines {
        sha.update(line);
        sha.update(b"\n");
    }
    sha.finalize().into()
}

/// Plain SHA-256 as lower-case hex, for armour checksums and rule data.
pub fn sha256(bytes: &[u8]) -> String {
    to_hexadecimal(&Sha256::digest(bytes))
}

/// Lower-case hexadecimal text.
pub fn to_hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    bytes.iter().flat_map(|b| [DIGITS[usize::from(b >> 4)], DIGITS[usize::from(b & 15)]]).collect()
}

/// Reads exactly `N` bytes from lower-case hexadecimal text; upper case is refused, so that one value has one text.
pub fn from_hexadecimal<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let nibble = |d: u8| match d {
        b'0'..=b'9' => Some(d - b'0'),
        b'a'..=b'f' => Some(d - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_reads_only_what_it_writes() {
        assert_eq!(to_hexadecimal(&[0, 0x1f, 0xff]), "001fff");
        assert_eq!(from_hexadecimal::<3>("001fff"), Some([0, 0x1f, 0xff]));
        for wrong in ["001FFF", "001ff", "001ffff0", "001ffg", "00 fff", "é01ff"] {
            assert_eq!(from_hexadecimal::<3>(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_empty_message_has_the_published_sha256() {
        assert_eq!(sha256(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
