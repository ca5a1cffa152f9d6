//! What a person probably meant: names compared without case, accents and punctuation, and by edit distance.

/// Longer texts are nobody's misspelling of a name; they are not compared.
const LONGEST: usize = 64;

/// How many names a fault proposes at most.
const PROPOSED: usize = 3;

/// A name without case and accents, with every run of blanks, `_` and `-` as one hyphen.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.trim().chars().flat_map(char::to_lowercase) {
        match c {
            '_' | '-' | '\u{2010}'..='\u{2015}' => push_hyphen(&mut folded),
            c if c.is_whitespace() => push_hyphen(&mut folded),
            '\u{300}'..='\u{36f}' => {} // combining accents
            c => folded.push_str(unaccented(&c).unwrap_or(c.encode_utf8(&mut [0; 4]))),
        }
    }
    folded
}

fn push_hyphen(folded: &mut String) {
    if !folded.ends_with('-') {
        folded.push('-');
    }
}

fn unaccented(c: &char) -> Option<&'static str> {
    Some(match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'č' => "c",
        'è'..='ë' | 'ē' | 'ę' | 'ě' => "e",
        'ì'..='ï' | 'ī' => "i",
        'ñ' | 'ń' | 'ň' => "n",
        'ò'..='ö' | 'ø' | 'ō' => "o",
        'ß' => "ss",
        'ù'..='ü' | 'ū' => "u",
        'ý' | 'ÿ' => "y",
        'º' => "o",
        'ª' => "a",
        _ => return None,
    })
}

/// How many letters have to be put in, left out, changed or swapped with their neighbour.
pub fn distance(one: &str, other: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    // Three rows of the usual table; the oldest serves the swap.
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// The names nearest to what was written, best first: at most three, and none that is far off.
pub fn nearest<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = fold(text);
    let letters = wanted.chars().count();
    if letters == 0 || letters > LONGEST {
        return Vec::new();
    }
    let mut found: Vec<(usize, &str)> = known
        .into_iter()
        .filter(|name| name.len() <= 2 * LONGEST)
        .filter_map(|name| {
            let folded = fold(name);
            // A beginning or an end of three letters or more is a good guess even if much is left out.
            let part = letters >= 3 && (folded.starts_with(&wanted) || folded.ends_with(&wanted));
            let off = distance(&wanted, &folded);
            let bearable = 1 + letters.max(folded.chars().count()) / 4;
            (off <= bearable || part).then_some((if part { off.min(bearable) } else { off }, name))
        })
        .collect();
    found.sort();
    found.dedup();
    found.truncate(PROPOSED);
    found.into_iter().map(|(_, name)| name).collect()
}

/// “did you mean `a` or `b`?”, or nothing where nothing is near.
pub fn did_you_mean<S: AsRef<str>>(names: &[S]) -> Option<String> {
    (!names.is_empty()).then(|| format!("did you mean {}?", one_of(names)))
}

/// `a`, `b` or `c`.
pub fn one_of<S: AsRef<str>>(names: &[S]) -> String {
    let mut text = String::new();
    for (i, name) in names.iter().enumerate() {
        if i > 0 {
            text.push_str(if i + 1 == names.len() { " or " } else { ", " });
        }
        text.push('`');
        text.push_str(name.as_ref());
        text.push('`');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_accents_and_hyphens_do_not_matter() {
        assert_eq!(fold("  San_Juan  Hill "), "san-juan-hill");
        assert_eq!(fold("García"), "garcia");
        assert_eq!(fold("Garci\u{301}a"), "garcia");
        assert_eq!(fold("DAIQUIRÍ"), "daiquiri");
    }

    #[test]
    fn one_slip_of_the_fingers_is_one_apart() {
        assert_eq!(distance("shock", "shock"), 0);
        assert_eq!(distance("shock", "shok"), 1);
        assert_eq!(distance("shock", "shokc"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn a_misspelt_name_finds_its_neighbours_and_a_foreign_one_finds_none() {
        let known = ["siboney", "sevilla", "daiquiri", "santiago"];
        assert_eq!(nearest("Sibony", known), ["siboney"]);
        assert_eq!(nearest("daiq", known), ["daiquiri"]);
        assert!(nearest("havana", known).is_empty());
        assert!(nearest("", known).is_empty());
        assert!(nearest(&"x".repeat(100_000), known).is_empty());
    }

    #[test]
    fn names_are_listed_as_one_would_say_them() {
        assert_eq!(one_of(&["a"]), "`a`");
        assert_eq!(one_of(&["a", "b"]), "`a` or `b`");
        assert_eq!(one_of(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(did_you_mean::<&str>(&[]), None);
    }
}
