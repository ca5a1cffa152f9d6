//! `garcia motion`: proposes what the rules do not: a takeback, a ruling, the end.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, Subcommand};
use serde_json::json;

use crate::engine::Json;
use crate::engine::visible::visible;
use crate::trust::ledger::{Ledger, LedgerTrouble};
use crate::trust::motion::{self, Outcome, What};
use crate::trust::patch::{Patch, difference, patch_between, patched};
use crate::trust::propose::{Finding, Outlook};
use crate::trust::role::Role;

use super::folder::GameFolder;
use super::seats::{MOVED_ALREADY, Reanchor, Rekey, Upgrade, data_of, is_moved, moved as moved_on};
use super::{Done, Trouble, World};

/// How many differences are listed.
const MOST: usize = 40;

/// Propose what the rules do not provide for: a takeback, a ruling, the end of the game.
///
/// A motion is a signed record and goes by mail like everything else. Between two players the other accepts or declines;
/// a game master and a solo player decide alone. Moved where a turn has ended, by whoever has the move.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia motion void 7 --dry-run          what going back to record 7 would change, and the hash
  garcia motion void 7                    move it; the other answers `garcia accept` or `garcia decline`
  garcia motion ruling --about 9 --clause 7.2 --finding \"the gun had no ammunition\" --set /units/us-b/at=1209
  garcia motion ruling --about 9 --clause 7.2 --finding \"…\" --position corrected.yaml
  garcia motion ruling --about 9 --clause 7.2 --finding \"…\" --case dispute.yaml
  garcia motion upgrade                   go on with this garcia's version of the rules
  garcia motion rekey                     ask for a seat with your key; see `garcia handover`
  garcia motion end --drawn
  garcia motion end --resign              needs no answer

Links, tickets and openings stay spent: a takeback never brings a die back. `garcia verify` lists every motion.")]
pub struct Motion {
    #[command(subcommand)]
    what: Kind,
    /// Only show what would change, and the hash.
    #[arg(long, global = true)]
    dry_run: bool,
    /// A remark for the record.
    #[arg(long, global = true)]
    note: Option<String>,
    /// Write the mail as a draft that mail programs open.
    #[arg(long, global = true)]
    eml: bool,
}

#[derive(Debug, Subcommand)]
enum Kind {
    #[command(visible_alias = "takeback")]
    Void(Void),
    Ruling(Ruling),
    Upgrade(Upgrade),
    Reanchor(Reanchor),
    Rekey(Rekey),
    End(End),
}

/// Take back everything after a record: the position returns, dice and openings do not.
#[derive(Debug, Args)]
struct Void {
    /// The record to go back to: one that ended a turn, the last join, or one that put a motion in force.
    record: u32,
}

/// Correct the position. Nothing is rolled again.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("how").required(true).multiple(true))]
struct Ruling {
    /// The record it is about.
    #[arg(long, value_name = "N")]
    about: u32,
    /// The clause of the rules.
    #[arg(long)]
    clause: String,
    /// What was found, in a sentence.
    #[arg(long, value_name = "TEXT")]
    finding: String,
    /// Put a value into the public state; may be given several times.
    #[arg(long, value_name = "POINTER=VALUE", group = "how")]
    set: Vec<String>,
    /// The corrected position: a changed copy of state.yaml.
    #[arg(long, value_name = "FILE", group = "how")]
    position: Option<PathBuf>,
    /// A case written by `garcia case --from`, with what ought to come of it under `expect: state:`.
    #[arg(long, value_name = "FILE", group = "how")]
    case: Option<PathBuf>,
    /// Let the director answer instead of the other player.
    #[arg(long)]
    to_director: bool,
}

/// End the game by agreement, or resign.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("outcome").required(true))]
struct End {
    /// Give up; needs no answer.
    #[arg(long, group = "outcome")]
    resign: bool,
    /// Nobody has won.
    #[arg(long, group = "outcome")]
    drawn: bool,
    /// A side has won.
    #[arg(long, value_name = "SIDE", group = "outcome")]
    winner: Option<String>,
    /// Let the director answer instead of the other player.
    #[arg(long)]
    to_director: bool,
}

impl Motion {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        match &self.what {
            Kind::Upgrade(upgrade) => return upgrade.run(self.dry_run, self.eml, world),
            Kind::Reanchor(reanchor) => return reanchor.run(self.dry_run, self.eml, world),
            Kind::Rekey(rekey) => return rekey.run(self.dry_run, self.eml, world),
            Kind::Void(_) | Kind::Ruling(_) | Kind::End(_) => {}
        }
        let mut folder = GameFolder::open(world)?;
        let ledger = folder.seat.ledger();
        let moved = motion::Motion { note: self.note.clone(), ..self.what.motion(ledger, folder.seat.role())? };
        if !self.dry_run && is_moved(&folder, &moved.what) {
            return moved_on(folder, MOVED_ALREADY, self.eml, world);
        }
        let outlook = ledger.outlook(&moved, folder.seat.role()).map_err(not_moved)?;
        let told = told(ledger, &moved, outlook.as_ref());
        if self.dry_run {
            return shown(told, outlook.as_ref(), "Nothing is signed. Without --dry-run it is moved.", world);
        }
        match moved.what {
            What::Void { back_to } => folder.seat.move_void(back_to, self.note)?,
            _ => folder.seat.propose(moved)?,
        };
        moved_on(folder, &told, self.eml, world)
    }
}

/// Why a motion cannot be made, where it is not a matter of the ledger as it stands.
fn not_moved(trouble: LedgerTrouble) -> Trouble {
    match trouble {
        LedgerTrouble::Finding { finding, .. } => {
            let remedy =
                "nothing was signed; `garcia status` says who has the move, `garcia motion --help` what can be moved";
            Trouble::usage(format!("this cannot be moved: {}", finding.what), remedy)
        }
        other => other.into(),
    }
}

impl Kind {
    fn motion(&self, ledger: &Ledger, role: &Role) -> Result<motion::Motion, Trouble> {
        match self {
            Kind::Void(void) => {
                check_place(ledger, void.record)?;
                Ok(motion::Motion::new(What::Void { back_to: void.record }))
            }
            Kind::Ruling(ruling) => ruling.motion(ledger),
            Kind::End(end) => end.motion(ledger, role),
            Kind::Upgrade(_) | Kind::Reanchor(_) | Kind::Rekey(_) => Err(Trouble::bug("moved elsewhere")),
        }
    }
}

/// Whether one can go back there, and if not, where.
fn check_place(ledger: &Ledger, record: u32) -> Result<(), Trouble> {
    let places: Vec<u32> = ledger.protocol().edges().collect();
    let last = places.last().copied();
    if places.contains(&record) && Some(record) != last {
        return Ok(());
    }
    let list: Vec<String> = places.iter().filter(|place| Some(**place) != last).map(ToString::to_string).collect();
    let remedy = match list.is_empty() {
        true => "there is nothing yet to go back to".to_owned(),
        false => format!("turns ended with record {}", list.join(", ")),
    };
    Err(Trouble::usage(format!("nobody can go back to record {record}"), remedy))
}

impl Ruling {
    fn motion(&self, ledger: &Ledger) -> Result<motion::Motion, Trouble> {
        let finding = Finding { about: self.about, clause: self.clause.clone(), finding: self.finding.clone() };
        let mut moved = match (&self.case, &self.position) {
            (Some(path), _) => ledger.ruling(finding, &self.corrected(ledger, path)?)?,
            (None, Some(path)) => {
                ledger.ruling(finding, &data_of(path, "copy state.yaml and change nothing but values")?)?
            }
            (None, None) => ledger.ruling_of(finding, self.patch(ledger)?)?,
        };
        moved.to = self.to_director.then(Role::director);
        Ok(moved)
    }

    /// The position in force with what the case corrects in the turn it is about.
    fn corrected(&self, ledger: &Ledger, path: &Path) -> Result<Json, Trouble> {
        let (files, bad) = crate::cases::read_cases(&[path.to_owned()]).map_err(|e| Trouble::unreadable(path, &e))?;
        if !bad.is_empty() {
            return Err(Trouble::faults(bad.into_iter().map(|bad| (bad.source, bad.faults)).collect()));
        }
        let case = files.iter().find_map(|(file, _)| file.cases.first());
        let case =
            case.ok_or_else(|| Trouble::usage("there is no case in it", "garcia case --from N --output FILE"))?;
        let table = ledger.replay().table();
        let (came, after) = crate::cases::corrected(table.ruleset(), case)
            .map_err(|what| Trouble::usage(format!("{}: {what}", path.display()), "`garcia case FILE` shows more"))?;
        // What the case changes in that turn is put over the position as it stands now.
        let now = table.state_json(ledger.replay().state()).map_err(|error| Trouble::bug(error.to_string()))?;
        patched(&now, &patch_between(&came, &after))
            .map_err(|what| Trouble::usage(what, "later turns have changed that place; use --set or --position"))
    }

    fn patch(&self, ledger: &Ledger) -> Result<Patch, Trouble> {
        let table = ledger.replay().table();
        let state = table.state_json(ledger.replay().state()).map_err(|error| Trouble::bug(error.to_string()))?;
        let mut patch = Patch::new();
        for set in &self.set {
            let Some((at, value)) = set.split_once('=') else {
                return Err(Trouble::usage(
                    format!("`{set}` is not POINTER=VALUE"),
                    "write `--set /units/us-b/at=1209`",
                ));
            };
            let read = Json::parse_canonical(value.as_bytes()).unwrap_or_else(|_| Json::from(value));
            // What stands there says whether 1209 is a number or a hex.
            let value = match (state.pointer(at), &read) {
                (Some(Json::Str(_)), Json::Int(_)) => Json::from(value),
                _ => read,
            };
            patch.insert(at.to_owned(), value);
        }
        Ok(patch)
    }
}

impl End {
    fn motion(&self, ledger: &Ledger, role: &Role) -> Result<motion::Motion, Trouble> {
        let outcome = match (&self.winner, self.drawn) {
            (Some(side), _) => {
                let ruleset = ledger.replay().table().ruleset();
                let sides: Vec<&str> = ruleset.sides().iter().map(|side| side.as_str()).collect();
                let Some(side) = ruleset.side(side) else {
                    return Err(Trouble::usage(
                        format!("there is no side `{side}`"),
                        format!("there is {}", sides.join(", ")),
                    ));
                };
                Outcome::Winner(side.as_str().parse().map_err(|_| Trouble::bug("a side that is no role"))?)
            }
            (None, true) => Outcome::Drawn,
            (None, false) => Outcome::Resigns(role.clone()),
        };
        let to = self.to_director.then(Role::director);
        Ok(motion::Motion { to, ..motion::Motion::new(What::End(outcome)) })
    }
}

/// A motion for people: what it asks for, what it changes.
pub fn told(ledger: &Ledger, moved: &motion::Motion, outlook: Option<&Outlook>) -> String {
    let mut text = format!("Motion {}\n", visible(&moved.words()));
    if let Some(note) = &moved.note {
        text.push_str(&format!("  note: {}\n", visible(note)));
    }
    let Some(Outlook { before, after, hash, state }) = outlook else { return text };
    let changes = difference(before, after);
    let table = ledger.replay().table();
    let (now, then) = (table.headline(ledger.replay().state()), table.headline(state));
    if now != then && ledger.replay().is_awake() {
        text.push_str(&format!("  the game stands at: {now}\n  it would stand at:   {then}\n"));
    }
    match changes.len() {
        0 => text.push_str("  the position stays as it is\n"),
        count => {
            let places = if count == 1 { "1 place" } else { &format!("{count} places") };
            text.push_str(&format!("  the position changes in {places}:\n"));
        }
    }
    for change in changes.iter().take(MOST) {
        text.push_str(&format!("    {}\n", visible(&change.to_string())));
    }
    if let Some(more) = changes.len().checked_sub(MOST).filter(|more| *more > 0) {
        text.push_str(&format!("    and {more} more\n"));
    }
    let now = ledger.protocol().state().unwrap_or_else(|| ledger.replay().state_hash());
    text.push_str(&format!("  hash now  {now}\n  hash then {hash}\n"));
    text
}

/// The answer to a dry run.
pub fn shown(told: String, outlook: Option<&Outlook>, last: &str, world: &World) -> Result<Done, Trouble> {
    if !world.json {
        return Ok(Done::good(format!("{told}{last}\n")));
    }
    let changes: Vec<serde_json::Value> = outlook
        .map(|outlook| difference(&outlook.before, &outlook.after))
        .unwrap_or_default()
        .iter()
        .map(|change| json!({ "at": change.at, "before": change.before, "after": change.after }))
        .collect();
    Done::json(&json!({
        "ok": true, "signed": false, "changes": changes, "hash": outlook.map(|outlook| outlook.hash),
        "text": told.lines().collect::<Vec<_>>(),
    }))
}
