//! `garcia list`: all games below a folder, whose move it is in each, and what to type.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::abreast::each;
use crate::engine::Diary;
use crate::engine::visible::visible;
use crate::report::{Page, terminal};
use crate::trust::data::Mode;
use crate::trust::record::Record;

use super::sight::Sight;
use super::{Done, Trouble, World, exit, next};

/// How many folders deep games are looked for.
const MOST_DEPTH: usize = 4;

/// List all games below a folder: turn, whose move it is, since which mail, and what to type next.
///
/// Exit code 0: nothing is due from you. 3: it is your move in some game, or you owe a record.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia list                 the games below this folder
  garcia list ~/games --json  for a script: [{\"folder\", \"game\", \"turn\", \"yours\", \"next\", …}]")]
pub struct List {
    /// Where to look; otherwise here.
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// A game as the list shows it.
struct Row {
    folder: PathBuf,
    game: String,
    turn: Option<u32>,
    headline: String,
    /// Whether something is due from the one who looks.
    yours: bool,
    /// Who has to do something, if anybody.
    awaited: Option<String>,
    /// The last record, which came or went with the last mail.
    since: String,
    /// What to type, or what is wrong.
    next: String,
}

impl List {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let root = self.folder.or_else(|| world.game.clone()).unwrap_or_default();
        let rows = each(&games_below(&root)?, |folder| row(folder.clone(), world));
        let code = if rows.iter().any(|row| row.yours) { exit::OWED } else { exit::GOOD };
        if world.json {
            let rows: Vec<serde_json::Value> = rows.iter().map(as_json).collect();
            return Ok(Done::json(&rows)?.with(code));
        }
        if rows.is_empty() {
            return Ok(Done::good(
                "No games here. `garcia new GAME` begins one, `garcia join FILE` accepts an offer.\n",
            ));
        }
        let mut page = Page::new(match rows.iter().filter(|row| row.yours).count() {
            0 => "Nothing is due from you".to_owned(),
            1 => "One game waits for you".to_owned(),
            waiting => format!("{waiting} games wait for you"),
        });
        let mut diary = Diary::new();
        let cells = |row: &Row| {
            let folder = if row.folder.as_os_str().is_empty() { Path::new(".") } else { &row.folder };
            let folder = visible(&folder.display().to_string());
            vec![folder, row.headline.clone(), row.since.clone(), row.next.clone()]
        };
        diary.table(&["folder", "position", "last record", "next"], rows.iter().map(cells).collect());
        page.section("Games", diary);
        Ok(Done::good(terminal(&page, world.look)).with(code))
    }
}

/// Every game folder at or below a folder, by name. Games do not lie inside games.
pub fn games_below(root: &Path) -> Result<Vec<PathBuf>, Trouble> {
    let mut found = Vec::new();
    let mut open = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        if folder.join("ledger").is_dir() {
            found.push(folder);
            continue;
        }
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder.as_path() };
        let entries = match fs::read_dir(here) {
            Ok(entries) => entries,
            // A folder that may not be read is somebody else's; the one that was named is not.
            Err(_) if depth > 0 => continue,
            Err(error) => return Err(Trouble::unreadable(here, &error)),
        };
        for entry in entries.filter_map(Result::ok) {
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if depth < MOST_DEPTH && !hidden && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push((folder.join(entry.file_name()), depth + 1));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn row(folder: PathBuf, world: &World) -> Row {
    let there = World { game: Some(folder.clone()), ..world.clone() };
    let sight = match Sight::open(&there) {
        Ok(sight) => sight,
        Err(trouble) => {
            let (game, since) = (String::new(), String::new());
            let next = format!("{}; {}", trouble.what, trouble.remedy);
            return Row {
                folder,
                game,
                turn: None,
                headline: "cannot be read".to_owned(),
                yours: false,
                awaited: None,
                since,
                next,
            };
        }
    };
    let (table, view, ledger) = (sight.table(), sight.view(None), &sight.ledger);
    let awaited = ledger.awaited();
    let who = awaited.who().cloned();
    let yours = who.is_some() && (who == sight.role || ledger.protocol().mode() == Mode::Solo);
    let steps = next::steps(ledger, sight.role.as_ref());
    Row {
        folder,
        game: table.ruleset().id().to_owned(),
        turn: Some(table.turn(view.state)),
        headline: table.headline(view.state),
        yours,
        awaited: who.map(|who| who.as_str().to_owned()),
        since: ledger.records().last().map(Record::file_name).unwrap_or_default(),
        next: steps.into_iter().next().unwrap_or_default(),
    }
}

/// The games below a folder as data.
pub fn below(root: &Path, world: &World) -> Result<Vec<(PathBuf, serde_json::Value)>, Trouble> {
    let row = |folder: &PathBuf| (folder.clone(), as_json(&row(folder.clone(), world)));
    Ok(each(&games_below(root)?, row))
}

fn as_json(row: &Row) -> serde_json::Value {
    json!({
        "folder": row.folder, "game": row.game, "turn": row.turn, "headline": row.headline, "yours": row.yours,
        "awaited": row.awaited, "since": row.since, "next": row.next,
    })
}
