//! The desk: a player's folder as a page in his own browser, served to this machine alone.
//!
//! It writes no rule and no second order format. Whatever it shows or refuses it asks of what `check`, `odds`, `reach`,
//! `template` and `resolve` ask, and what it saves is the file they read. [`serve`] keeps strangers out, [`game`] answers,
//! [`deeds`] finds what can be clicked and [`edit`] writes it into the text.

mod deeds;
mod edit;
mod game;
mod serve;

pub use serve::{Listening, serve};

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::cli::{World, list};
use crate::draw::svg;
use crate::engine::digest::{from_hexadecimal, sha256};
use crate::mail::base64;
use crate::report::{SCRIPT, escape};

use game::{GameDesk, Refused};

const PAGE: &str = include_str!("desk.html");
const STYLE: &str = include_str!("desk.css");
const CODE: &str = include_str!("desk.js");

/// What pages may do: nothing but what came from here.
const STRICT: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/// A request that came through the guard.
pub struct Asked<'r> {
    /// Is it one that may change something?
    pub post: bool,
    /// The path below the secret, in parts.
    pub path: Vec<&'r str>,
    /// What it carries.
    pub body: &'r [u8],
}

/// What is answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The kind of content.
    pub kind: &'static str,
    /// What the page may do.
    pub policy: String,
    /// The content.
    pub body: Vec<u8>,
}

impl Answer {
    fn new(kind: &'static str, body: impl Into<Vec<u8>>) -> Answer {
        Answer { status: 200, kind, policy: STRICT.to_owned(), body: body.into() }
    }

    /// A few words, as a page for whoever looks at it.
    pub fn words(status: u16, words: &str) -> Answer {
        Answer { status, ..Answer::new("text/plain; charset=utf-8", format!("{words}\n")) }
    }

    fn json(told: Result<Value, Refused>) -> Answer {
        let (status, told) = match told {
            Ok(told) => (200, told),
            Err(refused) => (refused.status, refused.told),
        };
        Answer { status, ..Answer::new("application/json", told.to_string()) }
    }
}

/// A desk with one game on it, or with all games below a folder.
pub struct Desk {
    world: World,
    root: PathBuf,
    /// Is there only one game?
    single: bool,
    games: Mutex<Vec<Arc<GameDesk>>>,
}

impl Desk {
    /// A desk for the one game in this folder.
    pub fn of_game(folder: PathBuf, world: &World) -> Desk {
        let games = Mutex::new(vec![Arc::new(GameDesk::new(folder.clone(), world))]);
        Desk { world: world.clone(), root: folder, single: true, games }
    }

    /// A desk for all games below this folder.
    pub fn of_games(root: PathBuf, world: &World) -> Desk {
        Desk { world: world.clone(), root, single: false, games: Mutex::new(Vec::new()) }
    }

    /// Answers a request.
    pub fn answer(&self, asked: &Asked<'_>) -> Answer {
        match (asked.post, asked.path.as_slice()) {
            (false, ["" | "index.html"]) if self.single => {
                Answer::new("text/html; charset=utf-8", PAGE.replace("{base}", "game/0/"))
            }
            (false, ["" | "index.html"]) => self.games(),
            (false, ["desk.css"]) => Answer::new("text/css; charset=utf-8", format!("{}\n{STYLE}", svg::STYLE)),
            (false, ["desk.js"]) => Answer::new("text/javascript; charset=utf-8", CODE),
            (false, ["play", number]) if self.game(number).is_some() => Answer::new(
                "text/html; charset=utf-8",
                PAGE.replace("{base}", &format!("../game/{number}/"))
                    .replace("href=\"desk", "href=\"../desk")
                    .replace("src=\"desk", "src=\"../desk"),
            ),
            (post, ["game", number, rest @ ..]) => match self.game(number) {
                Some(game) => at_game(&game, post, rest, asked.body),
                None => Answer::words(404, "There is no such game at this desk."),
            },
            (true, _) => Answer::words(404, "There is nothing here that could be changed."),
            (false, _) => Answer::words(404, "There is no such page at this desk."),
        }
    }

    fn game(&self, number: &str) -> Option<Arc<GameDesk>> {
        let games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        games.get(number.parse::<usize>().ok()?).cloned()
    }

    /// The place of a game in the list; a new one is added.
    fn number(&self, folder: PathBuf) -> usize {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = games.iter().position(|game| game.folder() == folder) {
            return at;
        }
        games.push(Arc::new(GameDesk::new(folder, &self.world)));
        games.len() - 1
    }

    /// All games below the folder, those first in which something is due.
    fn games(&self) -> Answer {
        let mut rows = match list::below(&self.root, &self.world) {
            Ok(rows) => rows,
            Err(trouble) => return Answer::words(500, &trouble.what),
        };
        rows.sort_by_key(|(_, row)| row.get("yours").and_then(Value::as_bool) != Some(true));
        let text = |row: &Value, key: &str| escape(row.get(key).and_then(Value::as_str).unwrap_or_default());
        let line = |(folder, row): (PathBuf, Value)| {
            let shown = escape(&folder.strip_prefix(&self.root).unwrap_or(&folder).display().to_string());
            let shown = if shown.is_empty() { ".".to_owned() } else { shown };
            let yours = if row.get("yours").and_then(Value::as_bool) == Some(true) { " class=\"yours\"" } else { "" };
            let number = self.number(folder);
            let (headline, next) = (text(&row, "headline"), text(&row, "next"));
            format!("<tr{yours}><td><a href=\"play/{number}\">{shown}</a></td><td>{headline}</td><td>{next}</td></tr>")
        };
        let rows: String = rows.into_iter().map(line).collect();
        let none = if rows.is_empty() { "<p>No games here. <code>garcia new GAME</code> begins one.</p>" } else { "" };
        Answer::new(
            "text/html; charset=utf-8",
            format!(
                "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Games</title>\
                 <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
                 <link rel=\"icon\" href=\"data:,\"><link rel=\"stylesheet\" href=\"desk.css\"></head><body class=\"list\"><h1>Games</h1>{none}\
                 <table>{rows}</table></body></html>"
            ),
        )
    }
}

fn at_game(game: &GameDesk, post: bool, path: &[&str], body: &[u8]) -> Answer {
    let said = || {
        serde_json::from_slice::<Value>(body)
            .map_err(|_| Refused::new(400, "the request cannot be read", "reload the page"))
    };
    match (post, path) {
        (false, ["position"]) => Answer::json(game.position()),
        (false, ["pulse"]) => Answer::json(game.pulse()),
        (false, ["report", number]) => match number.parse().map(|number| game.report(number)) {
            Ok(Ok(page)) => {
                // A report is a page of its own, with its style and script inside.
                let policy = format!(
                    "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; frame-ancestors 'self'",
                    from_hexadecimal::<32>(&sha256(SCRIPT.as_bytes()))
                        .map(|hash| base64(&hash))
                        .unwrap_or_default()
                        .trim()
                );
                Answer { policy, ..Answer::new("text/html; charset=utf-8", page) }
            }
            Ok(Err(refused)) => {
                Answer::words(404, refused.told.get("error").and_then(Value::as_str).unwrap_or_default())
            }
            Err(_) => Answer::words(404, "There is no such report."),
        },
        (true, ["check"]) => Answer::json(said().and_then(|said| game.check(&said))),
        (true, ["odds"]) => Answer::json(said().and_then(|said| game.odds(&said))),
        (true, ["offers"]) => Answer::json(said().and_then(|said| game.offers(&said))),
        (true, ["edit"]) => Answer::json(said().and_then(|said| game.edit(&said))),
        (true, ["save"]) => Answer::json(said().and_then(|said| game.save(&said))),
        (true, ["sign"]) => Answer::json(said().and_then(|said| game.sign(&said))),
        (true, ["act"]) => Answer::json(said().and_then(|said| game.act(&said))),
        (true, ["receive"]) => Answer::json(game.receive(body)),
        _ => Answer {
            status: 404,
            ..Answer::new(
                "application/json",
                json!({ "error": "there is no such thing to ask for", "remedy": "reload the page" }).to_string(),
            )
        },
    }
}
