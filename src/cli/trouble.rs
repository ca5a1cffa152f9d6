//! Why a command could not be carried out: the problem, the place, the clause and the remedy.

use std::fmt;
use std::io;
use std::path::Path;

use miette::{Diagnostic, GraphicalReportHandler};
use serde_json::json;

use crate::engine::doc::{Fault, Source};
use crate::report::Look;
use crate::report::faults::{self, visible};
use crate::trust::finding::Code;
use crate::trust::home::NotSigned;
use crate::trust::ledger;
use crate::trust::store::FileTrouble;

use super::Done;

/// Exit codes. They are documented in `garcia --help` and never change.
pub mod exit {
    /// Good.
    pub const GOOD: u8 = 0;
    /// A file has faults, or a ledger a divergence with a culprit.
    pub const FAULTS: u8 = 1;
    /// A divergence that is nobody's fault.
    pub const NOBODY: u8 = 2;
    /// Good, and a record is owed.
    pub const OWED: u8 = 3;
    /// Rules that cannot be judged here: another engine, other data.
    pub const NOT_JUDGED: u8 = 4;
    /// The command line is wrong, or this is not the moment for it.
    pub const USAGE: u8 = 64;
    /// A file cannot be read.
    pub const NO_INPUT: u8 = 66;
    /// garcia contradicts itself.
    pub const BUG: u8 = 70;
    /// A file cannot be written.
    pub const NO_OUTPUT: u8 = 73;
    /// Another garcia is at work.
    pub const BUSY: u8 = 75;
}

/// Something that kept a command from being carried out.
#[derive(Debug)]
pub struct Trouble {
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
    /// The rule behind it.
    pub clause: Option<String>,
    /// The exit code.
    pub code: u8,
    /// The faults of a file, where that is the trouble.
    files: Vec<(Source, Vec<Fault>)>,
}

impl Trouble {
    /// Trouble of some sort.
    pub fn new(code: u8, what: impl Into<String>, remedy: impl Into<String>) -> Trouble {
        Trouble { what: what.into(), remedy: remedy.into(), clause: None, code, files: Vec::new() }
    }

    /// The command line is wrong.
    pub fn usage(what: impl Into<String>, remedy: impl Into<String>) -> Trouble {
        Trouble::new(exit::USAGE, what, remedy)
    }

    /// The program is wrong.
    pub fn bug(what: impl Into<String>) -> Trouble {
        Trouble::new(exit::BUG, what, "this is a fault of garcia; please report it with the game folder")
    }

    /// A file cannot be read.
    pub fn unreadable(path: &Path, error: &io::Error) -> Trouble {
        let what = format!("{} cannot be read: {error}", path.display());
        let remedy = match error.kind() {
            io::ErrorKind::NotFound => "look at the name",
            _ => "see that you may read it",
        };
        Trouble::new(exit::NO_INPUT, what, remedy)
    }

    /// Files with faults.
    pub fn faults(files: Vec<(Source, Vec<Fault>)>) -> Trouble {
        let number: usize = files.iter().map(|(_, faults)| faults.iter().filter(|fault| !fault.warning).count()).sum();
        let what = format!("{number} fault{}; nothing was done", if number == 1 { "" } else { "s" });
        Trouble { files, ..Trouble::new(exit::FAULTS, what, "put them right and try again") }
    }

    /// A question about the position that makes no sense there.
    pub fn refused(faults: Vec<Fault>) -> Trouble {
        let mut faults = faults.into_iter();
        let Some(first) = faults.next() else {
            return Trouble::bug("a question was refused without a reason");
        };
        let mut what = first.what;
        for fault in faults {
            what.push_str(&format!("; {}", fault.what));
        }
        let clause = first.clause.map(|clause| clause.to_string());
        Trouble { clause, ..Trouble::new(exit::FAULTS, what, first.remedy) }
    }

    /// The faults of a file, as a program reads them.
    pub fn entries(&self) -> Vec<faults::ShownFault> {
        self.files.iter().flat_map(|(source, list)| faults::entries(list, source)).collect()
    }

    /// For people.
    pub fn render(&self, look: Look) -> String {
        if !self.files.is_empty() {
            let files = self.files.iter().filter(|(_, faults)| !faults.is_empty());
            return files.map(|(source, list)| faults::render(list, source, look)).collect();
        }
        let handler = GraphicalReportHandler::new_themed(look.theme()).with_links(false).with_width(look.width);
        let mut text = String::new();
        match handler.render_report(&mut text, self) {
            Ok(()) => text,
            Err(_) => format!("{}\n{}\n", visible(&self.what), visible(&self.remedy)),
        }
    }

    /// For programs, on standard output.
    pub fn as_json(&self) -> Done {
        let entries = self.entries();
        let mut value = json!({ "ok": false, "error": self.what, "remedy": self.remedy, "exit": self.code });
        if let (Some(clause), Some(object)) = (&self.clause, value.as_object_mut()) {
            object.insert("clause".into(), clause.trim_start_matches('§').into());
        }
        if let (false, Some(object)) = (entries.is_empty(), value.as_object_mut()) {
            object.insert("faults".into(), serde_json::to_value(entries).unwrap_or_default());
        }
        Done { text: format!("{value:#}\n"), code: self.code }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(&self.what))
    }
}

impl std::error::Error for Trouble {}

impl Diagnostic for Trouble {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.clause.as_ref().map(|clause| Box::new(clause) as Box<dyn fmt::Display>)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (!self.remedy.is_empty()).then(|| Box::new(visible(&self.remedy)) as Box<dyn fmt::Display>)
    }
}

impl From<FileTrouble> for Trouble {
    fn from(trouble: FileTrouble) -> Trouble {
        if trouble.what.contains("another garcia") {
            return Trouble::new(exit::BUSY, trouble.to_string(), "wait until it is done");
        }
        Trouble::new(exit::NO_OUTPUT, trouble.to_string(), "see that the folder is there, is yours and has room")
    }
}

impl From<ledger::LedgerTrouble> for Trouble {
    fn from(trouble: ledger::LedgerTrouble) -> Trouble {
        match trouble {
            ledger::LedgerTrouble::File(trouble) => trouble.into(),
            ledger::LedgerTrouble::Finding { seq, finding } if finding.code == Code::Engine => {
                let what = format!("record {seq}: {finding}");
                let remedy = "play it with the garcia and the data files (`--data DIR`) it was begun with, or go on with these by \
                              consent: `garcia motion upgrade`";
                Trouble::new(exit::NOT_JUDGED, what, remedy)
            }
            ledger::LedgerTrouble::Finding { seq, finding } => {
                let code = if finding.fault.is_some() { exit::FAULTS } else { exit::NOBODY };
                let what = format!("the ledger is not in order: record {seq}: {finding}");
                Trouble::new(code, what, "run `garcia verify`; it shows what is wrong and who signed it")
            }
            ledger::LedgerTrouble::NotSigned(twice @ NotSigned::Twice(_)) => {
                Trouble::usage(twice.to_string(), "what was signed is final; give the same orders again to go on")
            }
            ledger::LedgerTrouble::NotSigned(missing @ NotSigned::Missing(_)) => {
                Trouble::usage(missing.to_string(), "`garcia receive FILE` takes it; `garcia status` says more")
            }
            ledger::LedgerTrouble::NotDue(what) => Trouble::usage(what, "run `garcia status`"),
            other => Trouble::new(exit::NO_OUTPUT, other.to_string(), "nothing was signed"),
        }
    }
}
