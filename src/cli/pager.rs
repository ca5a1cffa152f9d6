//! Long answers in the terminal go through the reader's pager.

use std::io::{IsTerminal as _, Write as _};
use std::process::{Command, Stdio};

/// Shows a text in `$PAGER`, or in `less`, if it is longer than the terminal is high; says whether it did. `PAGER=`
/// turns it off.
pub fn paged(text: &str) -> bool {
    let Some((_, terminal_size::Height(height))) = terminal_size::terminal_size() else { return false };
    if !std::io::stdout().is_terminal() || text.lines().count() < usize::from(height) {
        return false;
    }
    let pager = std::env::var("PAGER").unwrap_or_else(|_| "less".to_owned());
    let mut words = pager.split_whitespace();
    let Some(program) = words.next() else { return false };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // Colours, and no pager for what fits after all.
        command.env("LESS", "FRX");
    }
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // A reader who has seen enough closes it early.
        input.write_all(text.as_bytes()).ok();
    }
    child.wait().is_ok()
}
