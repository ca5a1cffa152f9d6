//! What verification can find, and whose key stands under it.

use std::fmt;

use super::role::Role;
use crate::engine::Key;
use crate::engine::dice::Die;

/// How deep a check goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Records: form, signatures, order, links.
    Records,
    /// The faces of every public roll.
    Dice,
    /// The rules: rolls called for, openings, states.
    Rules,
    /// The audit: hidden values, claims, secret rolls.
    Audit,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Records => "L1",
            Level::Dice => "L2",
            Level::Rules => "L3",
            Level::Audit => "L4",
        })
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal, $level:ident;)*) => {
        /// What is wrong, in the numbering of the protocol.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Code {
            /// The code as it is printed.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }

            /// The depth at which it is found.
            pub const fn level(self) -> Level {
                match self { $(Code::$name => Level::$level,)* }
            }

            /// The code with this text.
            pub fn from_text(text: &str) -> Option<Code> {
                match text { $($text => Some(Code::$name),)* _ => None }
            }
        }
    };
}

codes! {
    /// Armour that does not decode.
    Armour = "E01-ARMOUR", Records;
    /// Not a record.
    Canon = "E02-CANON", Records;
    /// The signature does not fit.
    Signature = "E03-SIG", Records;
    /// A record of another game.
    Game = "E10-GAME", Records;
    /// The record does not follow the one before it.
    Gap = "E11-PREV", Records;
    /// Two valid records of one signer for one place.
    Fork = "E12-FORK", Records;
    /// Not the kind or not the signer that was due.
    Kind = "E13-KIND", Records;
    /// Members missing, unknown or out of order.
    Schema = "E14-SCHEMA", Records;
    /// The link does not hash to the one before it.
    Link = "E20-LINK", Records;
    /// The number of the link is wrong.
    Index = "E21-INDEX", Records;
    /// A face is not the one the seed gives.
    Roll = "E30-ROLL", Dice;
    /// Rolls, openings or claims that are not just those the rules call for.
    RollSet = "E31-ROLLSET", Rules;
    /// The state or the stop is not what the rules give.
    State = "E40-STATE", Rules;
    /// Another engine or other rule data than the verifier has.
    Engine = "E41-ENGINE", Rules;
    /// An opening that does not fit its commitment.
    Reveal = "E50-REVEAL", Rules;
    /// An opening or claim the rules call for is missing.
    NoReveal = "E51-REVEAL", Rules;
    /// A secret roll without the ticket that was due.
    Ticket = "E52-TICKET", Rules;
    /// A hidden value, claim, hidden move or secret roll that was not as stated.
    Audit = "E60-AUDIT", Audit;
    /// Something was kept closed at the audit.
    Withheld = "E61-AUDIT", Audit;
    /// The program contradicts itself; no player's fault.
    Bug = "E99-ENGINE", Rules;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The code.
    pub code: Code,
    /// Whose key signed what is wrong; nobody for damage, gaps and strangers.
    pub fault: Option<Role>,
    /// What is wrong, in a sentence.
    pub what: String,
    /// The roll, question, claim or slot concerned.
    pub label: Option<String>,
    /// The dice, if it is a roll.
    pub sides: Box<[Die]>,
    /// What the record says against what it should say.
    pub contrast: Option<Box<Contrast>>,
}

/// What a record says against what it should say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contrast {
    /// What the record says.
    pub recorded: String,
    /// What it should say.
    pub recomputed: String,
    /// The command with which anybody can check it without garcia.
    pub check: Option<String>,
}

impl Finding {
    /// A finding that is nobody's fault.
    pub fn new(code: Code, what: impl Into<String>) -> Finding {
        Finding { code, fault: None, what: what.into(), label: None, sides: Box::default(), contrast: None }
    }

    /// Names whose key signed it.
    pub fn signed_by(mut self, role: &Role) -> Finding {
        self.fault = Some(role.clone());
        self
    }

    /// Names the slot or key concerned.
    pub fn about(mut self, label: impl fmt::Display) -> Finding {
        self.label = Some(label.to_string());
        self
    }

    /// Names the roll concerned.
    pub fn roll(mut self, label: &Key, sides: &[Die]) -> Finding {
        self.sides = sides.into();
        self.about(label)
    }

    /// Sets what was recorded against what it should be.
    pub fn not(mut self, recorded: impl fmt::Display, recomputed: impl fmt::Display) -> Finding {
        let (recorded, recomputed) = (recorded.to_string(), recomputed.to_string());
        self.contrast = Some(Box::new(Contrast { recorded, recomputed, check: None }));
        self
    }
}

impl Finding {
    /// Gives the command that recomputes `H(tag, lines…)`, where that is what was set against what is recorded.
    pub fn check_hash(mut self, tag: &str, lines: &[&str]) -> Finding {
        let quoted: Vec<String> = lines.iter().map(|line| format!("'{}'", line.replace('\'', r"'\''"))).collect();
        if let Some(contrast) = &mut self.contrast {
            contrast.check = Some(format!("printf '%s\\n' garcia/1/{tag} {} | sha256sum", quoted.join(" ")));
        }
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.what)?;
        if let Some(label) = &self.label {
            write!(f, " ({label})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Finding {}

/// How dice are written for people: `2d6`, `d10`, `d6+d10`.
pub fn dice_words(sides: &[Die]) -> String {
    let mut groups: Vec<(u16, usize)> = Vec::new();
    for die in sides {
        match groups.last_mut() {
            Some((last, count)) if *last == die.sides() => *count += 1,
            _ => groups.push((die.sides(), 1)),
        }
    }
    let word =
        |(sides, count): &(u16, usize)| if *count == 1 { format!("d{sides}") } else { format!("{count}d{sides}") };
    groups.iter().map(word).collect::<Vec<_>>().join("+")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_are_written_as_players_say_them() {
        let die = |n| Die::new(n).expect("a die");
        assert_eq!(dice_words(&[Die::D6, Die::D6]), "2d6");
        assert_eq!(dice_words(&[Die::D10]), "d10");
        assert_eq!(dice_words(&[Die::D6, die(3), die(3), Die::D6]), "d6+2d3+d6");
    }

    #[test]
    fn a_code_reads_back() {
        assert_eq!(Code::from_text("E51-REVEAL"), Some(Code::NoReveal));
        assert_eq!(Code::Withheld.as_str(), "E61-AUDIT");
        assert_eq!(Code::from_text("E00"), None);
    }
}
