//! Secrets as they are written on paper and typed back: short groups with check digits, so that a slip is found at its line.

use zeroize::Zeroizing;

use super::bytes::Id;
use crate::engine::digest::to_hexadecimal;

/// How many bytes stand on a line.
const ON_A_LINE: usize = 8;

/// Why a line cannot be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Slip {
    /// Which line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

/// The check digits of a line: the beginning of a hash over its name, number and digits.
fn check(name: &str, number: usize, digits: &str) -> String {
    let mut check = Id::hash("paper-line", &[name, &number.to_string(), digits]).to_string();
    check.truncate(4);
    check
}

/// 32 bytes under a name: four lines of four groups and the check digits.
pub fn lines(name: &str, bytes: &[u8; 32]) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::new());
    for (number, part) in (1..).zip(bytes.chunks(ON_A_LINE)) {
        let digits = Zeroizing::new(to_hexadecimal(part));
        let groups: Vec<&str> = (0..4).filter_map(|group| digits.get(group * 4..group * 4 + 4)).collect();
        text.push_str(&format!("{name} {number}  {}  {}\n", groups.join(" "), check(name, number, &digits)));
    }
    text
}

/// A value under a name, with check digits at its end.
pub fn value_line(name: &str, value: &str) -> String {
    format!("value {name} {value}  {}\n", check(name, 0, value))
}

/// What was typed back.
#[derive(Default)]
pub struct Typed {
    /// 32 bytes under each name.
    pub secrets: Vec<(String, Zeroizing<[u8; 32]>)>,
    /// Values, by slot and version.
    pub values: Vec<(String, String)>,
    /// Everything else that was said: `game 400d…`, `role us`.
    pub said: Vec<(String, String)>,
}

impl Typed {
    /// The secret of a name.
    pub fn secret(&self, name: &str) -> Option<&[u8; 32]> {
        self.secrets.iter().find(|(other, _)| other == name).map(|(_, bytes)| &**bytes)
    }

    /// What was said under a name.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.said.iter().find(|(other, _)| other == name).map(|(_, word)| word.as_str())
    }
}

/// Reads what was typed; every slip is told. Upper case, blanks, and O for 0 or l for 1 are forgiven.
pub fn read(text: &str) -> Result<Typed, Vec<Slip>> {
    let (mut typed, mut slips) = (Typed::default(), Vec::new());
    let mut parts: Vec<(String, usize, Vec<u8>)> = Vec::new();
    for (line, said) in (1..).zip(text.lines()) {
        let said = said.trim();
        if said.is_empty() || said.starts_with('#') {
            continue;
        }
        let slip = |what: &str| Slip { line, what: what.to_owned() };
        if let Some(rest) = said.strip_prefix("value ") {
            match rest.rsplit_once("  ").and_then(|(value, sum)| Some((value.split_once(' ')?, sum.trim()))) {
                Some(((name, value), sum)) if check(name, 0, value) == sum => {
                    typed.values.push((name.to_owned(), value.to_owned()));
                }
                Some(_) => slips.push(slip("the check digits do not fit")),
                None => slips.push(slip("a name, a value and check digits are expected")),
            }
            continue;
        }
        let words: Vec<&str> = said.split_whitespace().collect();
        let (Some(name), Some(second)) = (words.first(), words.get(1)) else {
            slips.push(slip("a name and something behind it are expected"));
            continue;
        };
        let Some(number) = second.parse::<usize>().ok().filter(|n| (1..=4).contains(n) && words.len() > 2) else {
            typed.said.push(((*name).to_owned(), second.to_lowercase()));
            continue;
        };
        let all: String = words.iter().skip(2).flat_map(|word| word.chars()).map(forgiven).collect();
        let (digits, sum) = all.split_at_checked(2 * ON_A_LINE).unwrap_or((&all, ""));
        let bytes: Option<Vec<u8>> = (0..ON_A_LINE).map(|at| byte(digits.get(2 * at..2 * at + 2)?)).collect();
        match bytes {
            Some(bytes) if check(name, number, digits) == sum => parts.push(((*name).to_owned(), number, bytes)),
            Some(_) => slips.push(slip("the check digits do not fit: a digit of this line is wrong")),
            None => slips.push(slip("four groups of four digits and the check digits are expected")),
        }
    }
    let mut names: Vec<String> = parts.iter().map(|(name, ..)| name.clone()).collect();
    names.dedup();
    for name in names.into_iter().collect::<std::collections::BTreeSet<_>>() {
        let mut whole = Zeroizing::new([0; 32]);
        for number in 1..=4 {
            match parts.iter().find(|(other, at, _)| *other == name && *at == number) {
                Some((.., bytes)) => {
                    let from = (number - 1) * ON_A_LINE;
                    if let Some(place) = whole.get_mut(from..from + ON_A_LINE) {
                        place.copy_from_slice(bytes);
                    }
                }
                None if slips.is_empty() => {
                    slips.push(Slip { line: 0, what: format!("line {number} of `{name}` is missing") });
                }
                None => {}
            }
        }
        typed.secrets.push((name, whole));
    }
    if slips.is_empty() { Ok(typed) } else { Err(slips) }
}

fn forgiven(digit: char) -> char {
    match digit.to_ascii_lowercase() {
        'o' => '0',
        'l' | 'i' => '1',
        other => other,
    }
}

fn byte(pair: &str) -> Option<u8> {
    u8::from_str_radix(pair, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_paper_can_be_typed_back_and_every_slip_is_found() {
        let bytes: [u8; 32] = std::array::from_fn(|n| (n * 7) as u8);
        let text = format!("role us\n{}{}", &*lines("secret", &bytes), value_line("s-0101/1", r#"{"unit":"a b"}"#));
        let typed = read(&text).unwrap_or_else(|slips| panic!("{slips:?}"));
        assert_eq!(typed.secret("secret"), Some(&bytes));
        assert_eq!(typed.values, [("s-0101/1".to_owned(), r#"{"unit":"a b"}"#.to_owned())]);
        assert_eq!(typed.word("role"), Some("us"));
        let shouted = text.replace("0e15", "OE15").replace("   ", " ");
        assert_eq!(read(&shouted).ok().and_then(|typed| typed.secret("secret").copied()), Some(bytes));
        // Any single wrong digit is found at its line.
        let plain = lines("secret", &bytes);
        for (at, digit) in plain.char_indices().filter(|(_, c)| c.is_ascii_hexdigit()) {
            let column = at - plain[..at].rfind('\n').map_or(0, |end| end + 1);
            if column < "secret 1  ".len() {
                continue;
            }
            let other = if digit == '7' { '8' } else { '7' };
            let mut bent = plain.to_string();
            bent.replace_range(at..=at, &other.to_string());
            let line = plain[..at].matches('\n').count() + 1;
            let slips = read(&bent).err().unwrap_or_else(|| panic!("{bent}"));
            assert_eq!(slips.iter().map(|slip| slip.line).collect::<Vec<_>>(), [line], "{bent}");
        }
        let short: String = plain.lines().take(3).map(|line| format!("{line}\n")).collect();
        assert!(read(&short).err().is_some_and(|slips| slips[0].what.contains("line 4 of `secret` is missing")));
    }
}
