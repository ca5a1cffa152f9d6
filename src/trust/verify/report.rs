//! What was found, for people and for programs.

use std::fmt::Write as _;

use super::{Divergence, Opened, Verification};
use crate::engine::json::Json;
use crate::engine::visible::visible;
use crate::trust::finding::{Code, Finding, Level, dice_words};

impl Verification {
    /// The same as a verdict on some files: what was left aside of them is named, and whose key signed it.
    pub fn against(mut self, files: &[String]) -> Verification {
        let held = |aside: &&Divergence| aside.evidence.iter().any(|name| files.contains(name));
        let first = self.aside.iter().filter(held).min_by_key(|aside| aside.seq).cloned();
        if let Some(first) = first
            && self.divergence.as_ref().is_none_or(|divergence| first.seq < divergence.seq)
        {
            self.good = first.seq;
            self.level = first.finding.code.level();
            self.owed = None;
            self.divergence = Some(first);
        }
        self
    }

    /// 0 good; 1 divergence with a culprit; 2 without one; 3 good, but a record is owed; 4 rules not judged.
    pub fn exit_code(&self) -> u8 {
        match (&self.divergence, &self.not_judged, &self.owed) {
            (Some(divergence), ..) if divergence.finding.fault.is_some() => 1,
            (Some(_), ..) => 2,
            (None, Some(_), _) => 4,
            (None, None, Some(_)) => 3,
            (None, None, None) => 0,
        }
    }

    /// The report for people. `folder` is put before the names of files.
    pub fn report(&self, folder: &str) -> String {
        let mut text = String::new();
        self.write(&mut text, folder).ok();
        text
    }

    fn write(&self, out: &mut String, folder: &str) -> std::fmt::Result {
        if self.sound > 0 {
            let links: Vec<String> = self.links.iter().map(|(role, used)| format!("{used} {role}")).collect();
            let last = self.sound - 1;
            let range = if last == 0 { "record 0".to_owned() } else { format!("records 0-{last}") };
            let links = links.join(", ");
            writeln!(out, "{range} of {}: signatures good, log unbroken, links good ({links})", self.of)?;
        }
        match &self.divergence {
            Some(divergence) => divergence.write(out, folder)?,
            None => self.write_good(out)?,
        }
        for remark in &self.remarks {
            writeln!(out, "note: {remark}")?;
        }
        Ok(())
    }

    fn write_good(&self, out: &mut String) -> std::fmt::Result {
        match self.rolls {
            0 => writeln!(out, "dice: no public rolls yet")?,
            1 => writeln!(out, "dice: 1 public roll recomputed, as recorded")?,
            rolls => writeln!(out, "dice: {rolls} public rolls recomputed, all as recorded")?,
        }
        match &self.not_judged {
            Some(why) => {
                writeln!(out, "rules: not judged. {} {}", why.code, why.what)?;
                if let Some(contrast) = &why.contrast {
                    writeln!(out, "  the ledger has {}   this garcia has {}", contrast.recorded, contrast.recomputed)?;
                }
                writeln!(out, "  nobody's fault: verify with the garcia and the data files the game was begun with")?;
            }
            None if self.level >= Level::Rules => writeln!(out, "rules: every result follows from what was ordered")?,
            None => {}
        }
        if self.level == Level::Audit {
            writeln!(out, "audit: everything sealed was opened and is as stated")?;
        }
        let stated = if self.not_judged.is_none() { "is as stated" } else { "fits its commitment" };
        for (role, opened) in &self.audits {
            match opened {
                Opened::Audited => writeln!(out, "audit: everything {role} sealed was opened and {stated}")?,
                Opened::Owed { held: 0, .. } => {
                    writeln!(out, "audit: {role} has opened nothing yet, and counts as unaudited")?;
                }
                Opened::Owed { sealed, held } => writeln!(
                    out,
                    "audit: {role} has opened nothing yet, and counts as unaudited; of {sealed} values {held} are held here, as stated"
                )?,
            }
        }
        match (&self.owed, &self.owed_words) {
            (Some(_), Some(words)) => writeln!(out, "W70-WAITING  {words}")?,
            (Some((role, what)), None) => writeln!(out, "W70-WAITING  {role} owes: {what}")?,
            (None, _) => {}
        }
        if let Some(next) = &self.next {
            writeln!(out, "next: {next}")?;
        }
        Ok(())
    }

    /// One object for programs.
    pub fn to_json(&self) -> Json {
        let mut members = vec![("ok".to_owned(), Json::Bool(self.divergence.is_none()))];
        let mut put = |name: &str, value: Option<String>| {
            members.extend(value.map(|value| (name.to_owned(), Json::Str(value))));
        };
        put("level", Some(self.level.to_string()));
        if let Some(Divergence { seq, record, finding, .. }) = &self.divergence {
            put("code", Some(finding.code.to_string()));
            put("by", record.as_ref().map(|(_, by)| by.to_string()));
            put("fault", finding.fault.as_ref().map(ToString::to_string));
            put("label", finding.label.clone());
            put("recorded", finding.contrast.as_ref().map(|c| c.recorded.clone()));
            put("recomputed", finding.contrast.as_ref().map(|c| c.recomputed.clone()));
            members.push(("seq".to_owned(), Json::from(*seq)));
        } else {
            let waiting = self.owed.as_ref().map(|_| "W70-WAITING".to_owned());
            put("code", self.not_judged.as_ref().map(|why| why.code.to_string()).or(waiting));
            put("by", self.owed.as_ref().map(|(role, _)| role.to_string()));
            let owing = self.audits.iter().filter(|(_, opened)| *opened != Opened::Audited);
            let owing: Vec<Json> = owing.map(|(role, _)| Json::from(role.as_str())).collect();
            if !owing.is_empty() {
                members.push(("unaudited".to_owned(), Json::List(owing)));
            }
            members.push(("seq".to_owned(), Json::from(self.good)));
        }
        Json::Map(members.into_iter().collect())
    }
}

impl Divergence {
    /// In one line: a record that was left aside, and why.
    pub(super) fn aside(&self) -> String {
        let name = self.evidence.first().map(|name| visible(name)).unwrap_or_default();
        let signed = match (&self.record, &self.finding.fault) {
            (Some((_, by)), Some(_)) => format!(", signed by {by}"),
            _ => String::new(),
        };
        format!("left aside: {name}: {}{signed}: {}", self.finding.code, self.finding.what)
    }

    /// The report for people. `folder` is put before the names of files.
    pub fn report(&self, folder: &str) -> String {
        let mut text = String::new();
        self.write(&mut text, folder).ok();
        text
    }

    fn write(&self, out: &mut String, folder: &str) -> std::fmt::Result {
        let Finding { code, fault, what, label, sides, contrast } = &self.finding;
        match &self.record {
            // Up to step 3 nobody is known to have signed it.
            Some((kind, by)) if *code != Code::Signature => {
                writeln!(out, "FIRST DIVERGENCE  record {}, {kind}, signed by {by}", self.seq)?;
            }
            Some((kind, by)) => writeln!(out, "FIRST DIVERGENCE  record {}, {kind}, said to be by {by}", self.seq)?,
            None => writeln!(out, "FIRST DIVERGENCE  record {}", self.seq)?,
        }
        match (label, &**sides) {
            (Some(label), []) => writeln!(out, "  {code}  {label}")?,
            (Some(label), sides) => writeln!(out, "  {code}  {label}   {}", dice_words(sides))?,
            (None, _) => writeln!(out, "  {code}")?,
        }
        writeln!(out, "  {what}")?;
        match contrast {
            Some(contrast) if *code == Code::Fork => {
                writeln!(out, "  the one {}   the other {}", contrast.recorded, contrast.recomputed)?;
            }
            Some(contrast) => writeln!(out, "  recorded {}   recomputed {}", contrast.recorded, contrast.recomputed)?,
            None => {}
        }
        match fault {
            Some(fault) if *code == Code::Roll => {
                let orders = self.seq.saturating_sub(1);
                writeln!(out, "  fault: {fault}. Orders (record {orders}), link and seed are undisputed.")?;
            }
            Some(fault) => writeln!(out, "  fault: {fault}, whose key signed it. {}", self.advice())?,
            None => writeln!(out, "  fault: nobody. {}", self.advice())?,
        }
        if let Some(key) = &self.key {
            writeln!(out, "  signed with the key {key}")?;
        }
        if let (Code::Roll, Some((orders, link)), Some(label)) = (code, &self.dice, label) {
            let sides: Vec<String> = sides.iter().map(|die| die.sides().to_string()).collect();
            let sides = sides.join(",");
            writeln!(
                out,
                "  check it yourself: garcia roll --orders {orders} --link {link} --label {label} --sides {sides}"
            )?;
        } else if let Some(command) = contrast.as_ref().and_then(|contrast| contrast.check.as_ref()) {
            writeln!(out, "  check it yourself: {command}")?;
        } else if !folder.is_empty() && code.level() <= Level::Dice {
            writeln!(out, "  check it yourself: python3 examples/verify.py {}", folder.trim_end_matches('/'))?;
        } else if !folder.is_empty() {
            writeln!(out, "  check it yourself: garcia verify {}", folder.trim_end_matches('/'))?;
        }
        if !self.evidence.is_empty() {
            // A record from elsewhere is named with its whole path.
            let place = |name: &String| if name.contains('/') { name.clone() } else { format!("{folder}{name}") };
            let files: Vec<String> = self.evidence.iter().map(place).collect();
            writeln!(out, "  evidence: {}", files.join(" "))?;
        }
        Ok(())
    }

    /// What a game master should know about it, or what to do.
    fn advice(&self) -> &'static str {
        match self.finding.code {
            Code::Armour | Code::Canon | Code::Signature => {
                "It was damaged or forged: ask for it again, and compare the other side's copy."
            }
            Code::Game => "It belongs into another folder.",
            Code::Gap => "Ask both sides for their ledgers; `garcia compare` shows where they part.",
            Code::Fork => "Both files are needed to prove it; keep them. The first one that was answered stands.",
            Code::Kind => "It was not the record due here, so it counts for nothing; the right one is still owed.",
            Code::Schema => "Most likely a fault of the program that made it; it counts for nothing.",
            Code::Index | Code::Link => "The link was fixed before the game by the anchor in the first records.",
            Code::RollSet => "The orders and the rules call for just these rolls, openings and claims, in this order.",
            Code::State => "A result follows from the orders and the dice; the ledger holds the hash of the position.",
            Code::Reveal | Code::NoReveal => "What was sealed before can be opened in one way only.",
            Code::Audit => "What was stated during the game is not what the audit opened.",
            Code::Withheld => "The game counts as unaudited.",
            Code::Bug => "This is a fault of the program; please report it with the ledger.",
            _ => "",
        }
    }
}
