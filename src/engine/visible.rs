//! Foreign text, made safe to show.

use std::fmt::Write as _;

/// A text in which nothing can take hold of the terminal or turn the order of reading around.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        push_visible(&mut shown, c);
    }
    shown
}

/// Adds one character, or what stands for it if it cannot be seen.
pub fn push_visible(shown: &mut String, c: char) {
    if c == '\t' {
        // One blank keeps the columns in step with what the parser counts.
        shown.push(' ');
    } else if unseen(c) {
        let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
    } else {
        shown.push(c);
    }
}

/// Control characters, marks that turn the writing direction, and blanks without width.
fn unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
