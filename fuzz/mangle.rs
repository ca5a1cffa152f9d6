//! What happens to a text on its way: letters, lines and whole passages lost, doubled, exchanged, and words of another kind
//! put where they do not belong.

use garcia::engine::dice::Chance;

/// Pieces that readers stumble over.
const PIECES: &[&str] = &[
    "",
    "\0",
    "\u{feff}",
    "\u{202e}",
    "é",
    "\r\n",
    "\n",
    "\t",
    " ",
    "- ",
    ": ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "#",
    "&a ",
    "*a",
    "!!str ",
    "<<: ",
    "---\n",
    "...\n",
    "|\n",
    ">\n",
    "null",
    "~",
    "yes",
    "-1",
    "0",
    "1",
    "99999999999999999999",
    "1e309",
    "0x10",
    "default",
    "ask",
    "units: ",
    "to: ",
    "from ",
    "orders:\n",
    "policies:\n",
    "standing:\n",
    "answers:\n",
    "-----BEGIN GARCIA RECORD-----\n",
    "-----END GARCIA RECORD-----\n",
    "> ",
    "=3D",
    "=\n",
    "Content-Type: text/html\n",
    "Content-Transfer-Encoding: base64\n\n",
    "From x\n",
    "body:\n",
    "sig: ",
    "ffffffff",
    "a/b",
    "../",
];

/// One of the seeds, mangled a few times over.
pub fn mangled(seeds: &[Vec<u8>], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = seeds[chance.below(seeds.len())].clone();
    for _ in 0..=chance.below(4) {
        bytes = match chance.below(6) {
            0 => bent(bytes, chance),
            1 => cut(bytes, chance),
            2 | 3 => lines(bytes, chance),
            4 => pieced(bytes, chance),
            _ => spliced(bytes, &seeds[chance.below(seeds.len())], chance),
        };
    }
    bytes
}

/// Some bytes changed.
fn bent(mut bytes: Vec<u8>, chance: &mut Chance) -> Vec<u8> {
    for _ in 0..=chance.below(3) {
        if !bytes.is_empty() {
            let at = chance.below(bytes.len());
            bytes[at] =
                if chance.one_in(2) { bytes[at] ^ (1 << chance.below(8)) } else { b"0aZ:-. \n"[chance.below(8)] };
        }
    }
    bytes
}

/// A passage lost, or everything behind a place.
fn cut(mut bytes: Vec<u8>, chance: &mut Chance) -> Vec<u8> {
    let from = chance.below(bytes.len() + 1);
    let to = if chance.one_in(4) { bytes.len() } else { (from + chance.below(60)).min(bytes.len()) };
    bytes.drain(from..to);
    bytes
}

/// A line lost, doubled, moved, indented, or a value of one line under the key of another.
fn lines(bytes: Vec<u8>, chance: &mut Chance) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    if lines.is_empty() {
        return bytes;
    }
    let (one, other) = (chance.below(lines.len()), chance.below(lines.len()));
    match chance.below(5) {
        0 => drop(lines.remove(one)),
        1 => lines.insert(other, lines[one].clone()),
        2 => lines.swap(one, other),
        3 => lines[one].splice(0..0, *b"  ").for_each(drop),
        _ => {
            let key = |line: &[u8]| line.iter().position(|byte| *byte == b':');
            if let (Some(here), Some(there)) = (key(&lines[one]), key(&lines[other])) {
                lines[one] = [&lines[one][..here], &lines[other][there..]].concat();
            }
        }
    }
    lines.concat()
}

/// A piece put in, or in the place of what stood there; at times many times over.
fn pieced(mut bytes: Vec<u8>, chance: &mut Chance) -> Vec<u8> {
    let piece = PIECES[chance.below(PIECES.len())].as_bytes();
    let piece = if chance.one_in(8) { piece.repeat(1 + chance.below(200)) } else { piece.to_vec() };
    let at = chance.below(bytes.len() + 1);
    let to = if chance.one_in(2) { at } else { (at + chance.below(12)).min(bytes.len()) };
    bytes.splice(at..to, piece);
    bytes
}

/// The head of one with the tail of another.
fn spliced(bytes: Vec<u8>, other: &[u8], chance: &mut Chance) -> Vec<u8> {
    let (head, tail) = (chance.below(bytes.len() + 1), chance.below(other.len() + 1));
    [&bytes[..head], &other[tail..]].concat()
}
