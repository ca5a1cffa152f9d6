//! Records as text that survives a mail program.
//!
//! Base64 in lines of 64, nothing else inside counts: quote marks, blanks, empty lines and line ends are skipped. The
//! last line carries a checksum, so damage is noticed before anybody is blamed for it.

use crate::engine::digest::sha256;

const DASHES: &str = "-----";
/// The words alone are looked for: some programs make long dashes of short ones.
const BEGIN: &str = "BEGIN GARCIA RECORD";
const END: &str = "END GARCIA RECORD";
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The same words around openings, which go to a game master alone.
const BEGIN_OPENINGS: &str = "BEGIN GARCIA OPENINGS";
const END_OPENINGS: &str = "END GARCIA OPENINGS";

/// The same words around papers, which stand beside the ledger.
const BEGIN_PAPER: &str = "BEGIN GARCIA PAPER";
const END_PAPER: &str = "END GARCIA PAPER";

/// The same words around deposits, which go to a director alone.
const BEGIN_DEPOSIT: &str = "BEGIN GARCIA DEPOSIT";
const END_DEPOSIT: &str = "END GARCIA DEPOSIT";

/// How many damaged records of one text are told one by one; the others are counted.
const MOST_DAMAGED: usize = 8;
/// How many beginnings of one text are looked at: no mail holds more, and a flood of them costs next to nothing.
const MOST_BEGUN: usize = 1 << 14;

/// Wraps the bytes of a record.
pub fn wrap(bytes: &[u8]) -> String {
    wrapped(bytes, BEGIN, END)
}

/// Wraps a paper.
pub fn wrap_paper(bytes: &[u8]) -> String {
    wrapped(bytes, BEGIN_PAPER, END_PAPER)
}

/// All papers in a text.
pub fn unwrap_papers(text: &str) -> Vec<Result<Vec<u8>, Damaged>> {
    unwrapped(text, BEGIN_PAPER, END_PAPER)
}

/// Wraps a deposit.
pub fn wrap_deposit(bytes: &[u8]) -> String {
    wrapped(bytes, BEGIN_DEPOSIT, END_DEPOSIT)
}

/// All deposits in a text.
pub fn unwrap_deposits(text: &str) -> Vec<Result<Vec<u8>, Damaged>> {
    unwrapped(text, BEGIN_DEPOSIT, END_DEPOSIT)
}

/// Wraps openings.
pub fn wrap_openings(bytes: &[u8]) -> String {
    wrapped(bytes, BEGIN_OPENINGS, END_OPENINGS)
}

fn wrapped(bytes: &[u8], begin: &str, end: &str) -> String {
    let digits = encode(bytes);
    let mut text = format!("{DASHES}{begin}{DASHES}\n");
    for line in digits.as_bytes().chunks(64) {
        text.extend(line.iter().map(|b| char::from(*b)));
        text.push('\n');
    }
    text.push_str(&format!("{DASHES}{end} {}{DASHES}\n", checksum(bytes)));
    text
}

fn checksum(bytes: &[u8]) -> String {
    let mut sum = sha256(bytes);
    sum.truncate(16);
    sum
}

/// A record that did not survive the way; nobody's fault, ask for it again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("record {number} in this text is damaged: {what}; ask for it again, best as an attachment")]
pub struct Damaged {
    /// Which record of the text, counted from 1.
    pub number: usize,
    /// What was noticed.
    pub what: String,
}

/// All records in a text, in order; anything around them is skipped. Empty if there is no armour at all.
pub fn unwrap(text: &str) -> Vec<Result<Vec<u8>, Damaged>> {
    unwrapped(text, BEGIN, END)
}

/// All openings in a text.
pub fn unwrap_openings(text: &str) -> Vec<Result<Vec<u8>, Damaged>> {
    unwrapped(text, BEGIN_OPENINGS, END_OPENINGS)
}

fn unwrapped(text: &str, begin: &str, end: &str) -> Vec<Result<Vec<u8>, Damaged>> {
    let mut found = Vec::new();
    let mut parts = text.split(begin);
    parts.next();
    let mut damaged = 0;
    for (number, part) in (1..).zip(parts) {
        if number > MOST_BEGUN {
            let what = "more begin here than a mail holds; the rest of it is not read".to_owned();
            found.push(Err(Damaged { number, what }));
            break;
        }
        match open(part, end) {
            Ok(bytes) => found.push(Ok(bytes)),
            Err(what) => {
                damaged += 1;
                if damaged <= MOST_DAMAGED {
                    found.push(Err(Damaged { number, what }));
                }
            }
        }
    }
    if let Some(more) = damaged.checked_sub(MOST_DAMAGED).filter(|more| *more > 0) {
        let what = format!("and so are {more} more");
        found.push(Err(Damaged { number: MOST_DAMAGED + 1, what }));
    }
    found
}

/// What stands between one BEGIN and the next.
fn open(part: &str, end: &str) -> Result<Vec<u8>, String> {
    let Some((inside, end)) = part.split_once(end) else {
        return Err("its last line is missing".to_owned());
    };
    let bytes = decode(inside).ok_or("its length cannot be right")?;
    // The line may have been quoted or broken before the checksum, never inside it.
    let sum: String = end.chars().skip_while(|c| !c.is_ascii_hexdigit()).take(16).collect();
    if sum != checksum(&bytes) {
        return Err("the checksum in its last line does not fit".to_owned());
    }
    Ok(bytes)
}

fn encode(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(bytes.len() / 3 * 4 + 4);
    for group in bytes.chunks(3) {
        let word = group.iter().fold(0u32, |word, b| word << 8 | u32::from(*b)) << (8 * (3 - group.len()));
        for place in 0..=group.len() {
            let digit = word >> (18 - 6 * place) & 63;
            digits.push(char::from(ALPHABET[digit as usize]));
        }
    }
    digits
}

/// Skips everything that is no digit; none if no number of bytes gives so many digits.
fn decode(text: &str) -> Option<Vec<u8>> {
    let value = |b: u8| match b {
        b'A'..=b'Z' => Some(b - b'A'),
        b'a'..=b'z' => Some(b - b'a' + 26),
        b'0'..=b'9' => Some(b - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u8> = text.bytes().filter_map(value).collect();
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        if group.len() == 1 {
            return None;
        }
        let word = group.iter().fold(0u32, |word, d| word << 6 | u32::from(*d)) << (6 * (4 - group.len()));
        bytes.extend(&word.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_wrapped_comes_out_however_it_was_quoted(
            records in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 1..4),
            quote in "[> |\t.*]{0,6}", tail in "[ \t]{0,3}", crlf: bool,
        ) {
            let plain: String = records.iter().map(|r| wrap(r)).collect();
            let end = if crlf { "\r\n" } else { "\n" };
            let mailed: String = plain.lines().map(|l| format!("{quote}{l}{tail}{end}{end}")).collect();
            let text = format!("Hi,\r\nhere it is:\r\n{mailed}> bye{end}");
            let found: Vec<_> = unwrap(&text).into_iter().map(|r| r.expect("whole")).collect();
            prop_assert_eq!(found, records);
        }

        #[test]
        fn a_changed_digit_is_noticed(bytes in prop::collection::vec(any::<u8>(), 1..120), at in any::<prop::sample::Index>()) {
            let text = wrap(&bytes);
            let inside = BEGIN.len() + 2 * DASHES.len() + 1..text.find(END).expect("an end") - DASHES.len() - 1;
            let at = inside.start + at.index(inside.len());
            let mut changed = text.into_bytes();
            prop_assume!(changed[at] != b'\n');
            changed[at] = if changed[at] == b'Q' { b'R' } else { b'Q' };
            let changed = String::from_utf8(changed).expect("ASCII");
            // The last digit carries bits that no byte uses; a change there loses nothing.
            for found in unwrap(&changed) {
                prop_assert!(found.is_err() || found == Ok(bytes.clone()));
            }
        }

        #[test]
        fn no_text_makes_the_reader_stumble(text in "(-----BEGIN GARCIA RECORD-----|-----END GARCIA RECORD|[ -~é\n]{0,9}){0,8}") {
            unwrap(&text);
        }
    }

    #[test]
    fn a_record_that_was_cut_off_does_not_hide_the_next_one() {
        let whole = wrap(b"second");
        let cut = &wrap(b"first")[..40];
        let found = unwrap(&format!("{cut}\n{whole}"));
        assert!(matches!(&found[0], Err(e) if e.number == 1 && e.what.contains("last line is missing")));
        assert_eq!(found[1], Ok(b"second".to_vec()));
        assert_eq!(unwrap("no record here"), vec![]);
    }

    #[test]
    fn a_flood_of_beginnings_is_not_read_to_its_end() {
        let whole = wrap(b"first");
        let flood = wrap(b"x").replace("-----END", "-----ENDE").repeat(2 * MOST_BEGUN);
        let found = unwrap(&format!("{whole}{flood}{whole}"));
        assert_eq!(found[0], Ok(b"first".to_vec()));
        assert!(found.len() <= MOST_DAMAGED + 3, "{}", found.len());
        assert!(found.iter().flatten().count() == 1, "what comes behind the flood is not read");
        assert!(found.iter().any(|piece| matches!(piece, Err(e) if e.what.contains("not read"))));
    }
}
