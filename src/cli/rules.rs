//! `garcia rules`: the rules in our own words.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::engine::rules::{RuleBook, RuleClause};
use crate::engine::{Diary, Ruleset};
use crate::games::GAMES;
use crate::report::{Look, Page, terminal, wrap};

use super::folder::find;
use super::sight::{Sight, ruleset};
use super::{Done, Trouble, World};

/// Look a rule up: the clause in our own words, with how it is read where it is unclear.
///
/// Every event, question and fault names its clause. In a game folder the game need not be named.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia rules santiago-1898                 the chapters
  garcia rules santiago-1898 9.3g            one clause
  garcia rules santiago-1898 9.3             all clauses of a section
  garcia rules santiago-1898 R8              a ruling
  garcia rules santiago-1898 fever           every clause with the word
  garcia rules 9.3g                          in a game folder
  garcia rules santiago-1898 --coverage tests/conformance --json
                                             which clauses the conformance cases show")]
pub struct Rules {
    /// The game, then clauses, sections or rulings, or words to search for.
    #[arg(value_name = "GAME] [CLAUSE")]
    words: Vec<String>,
    /// Every clause with these words.
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,
    /// Show which clauses the conformance cases in this folder show.
    #[arg(long, value_name = "DIR")]
    coverage: Option<PathBuf>,
}

impl Rules {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let (game, clauses) = self.game(world)?;
        let book = RuleBook::read(game.about().rules).map_err(|error| Trouble::bug(error.to_string()))?;
        if let Some(folder) = &self.coverage {
            return super::case::coverage(game, &book, folder, world);
        }
        let found: Vec<&RuleClause> = match (&self.search, clauses.is_empty()) {
            (Some(words), _) => {
                let found = book.search(words);
                if found.is_empty() {
                    return Err(Trouble::usage(format!("no clause has `{words}` in it"), "try a single word"));
                }
                found
            }
            (None, true) => return Ok(contents(&book, world)),
            (None, false) => {
                if let [id] = clauses.as_slice()
                    && let Some(ruling) = book.ruling(id)
                {
                    return match world.json {
                        true => Done::json(ruling),
                        false => Ok(Done::good(format!(
                            "{}: {}\n{}\nWhy: {}\n",
                            ruling.id,
                            ruling.title,
                            wrap(&ruling.ruling, world.look.width, 0, 0),
                            wrap(&ruling.reason, world.look.width, 0, 0)
                        ))),
                    };
                }
                // What is no number of anything is a word to search for.
                let known = |id: &String| book.clause(id).is_some() || !book.under(id).is_empty();
                match book.search(&clauses.join(" ")) {
                    found if !found.is_empty() && !clauses.iter().any(known) => found,
                    _ => look_up(&book, &clauses)?,
                }
            }
        };
        if world.json {
            let placed = |clause: &&RuleClause| {
                let mut entry = json!(clause);
                entry["place"] = json!(book.place(clause));
                entry
            };
            return Done::json(&found.iter().map(placed).collect::<Vec<_>>());
        }
        Ok(Done::good(found.iter().map(|clause| tell(&book, clause, world.look)).collect::<Vec<_>>().join("\n")))
    }

    /// The game that is meant, and the rest of the words.
    fn game(&self, world: &World) -> Result<(&'static dyn Ruleset, Vec<String>), Trouble> {
        if let Some((first, rest)) = self.words.split_first() {
            if let Some(game) = GAMES.iter().find(|game| game.id() == first) {
                return Ok((*game, rest.to_vec()));
            }
            // A clause begins with its number or stands in capitals; anything else was meant as a game.
            let clause = first.starts_with(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase() || c == '§');
            if !clause || find(world).is_err() {
                return ruleset(first).map(|game| (game, rest.to_vec()));
            }
        }
        if find(world).is_err() {
            let remedy = "write `garcia rules GAME`; `garcia games` lists the games";
            return Err(Trouble::usage("the rules of which game?", remedy));
        }
        let sight = Sight::open(world)?;
        Ok((sight.table().ruleset(), self.words.clone()))
    }
}

fn look_up<'b>(book: &'b RuleBook, ids: &[String]) -> Result<Vec<&'b RuleClause>, Trouble> {
    let mut found = Vec::new();
    for id in ids {
        match book.clause(id) {
            Some(clause) => found.push(clause),
            None => {
                let below = book.under(id);
                if below.is_empty() {
                    let near = book.nearest(id);
                    let remedy = crate::engine::doc::did_you_mean(&near)
                        .unwrap_or_else(|| format!("`garcia rules {}` lists the chapters", book.game));
                    return Err(Trouble::usage(format!("there is no clause `{id}`"), remedy));
                }
                found.extend(below);
            }
        }
    }
    Ok(found)
}

fn contents(book: &RuleBook, world: &World) -> Done {
    let chapters = book.chapters();
    if world.json {
        let list: Vec<_> = chapters
            .iter()
            .map(|(chapter, clauses)| {
                let ids: Vec<&str> = clauses.iter().map(|clause| clause.id.as_str()).collect();
                json!({ "chapter": chapter, "clauses": ids })
            })
            .collect();
        return Done::good(format!("{:#}\n", serde_json::Value::from(list)));
    }
    let mut page = Page::new(format!("{}: {} clauses, {} rulings", book.title, book.clauses.len(), book.rulings.len()));
    page.lead.push(book.credits.clone());
    let mut diary = Diary::new();
    let rows = chapters.iter().map(|(chapter, clauses)| {
        let ends = (clauses.first(), clauses.last());
        let range = match ends {
            (Some(first), Some(last)) if first.id != last.id => format!("{} – {}", first.id, last.id),
            (Some(first), _) => first.id.clone(),
            _ => String::new(),
        };
        vec![(*chapter).to_owned(), range, clauses.len().to_string()]
    });
    diary.table(&["chapter", "clauses", "number"], rows.collect());
    page.section("", diary);
    Done::good(terminal(&page, world.look))
}

fn tell(book: &RuleBook, clause: &RuleClause, look: Look) -> String {
    let mut text = format!("§{}  {}\n", clause.id, clause.chapter);
    let mut line = |part: &str| text.push_str(&format!("{}\n", wrap(part, look.width, 2, 2)));
    line(&clause.text);
    line(&format!("Printed: {}.", book.place(clause)));
    if let Some(ruling) = &clause.ruling {
        line(&format!("Ruling {ruling}"));
        for ruling in book.rulings_of(clause) {
            line(&format!("Why ({}): {}", ruling.id, ruling.reason));
        }
    }
    if let Some(option) = book.option_of(clause) {
        let values: Vec<String> = option.values.iter().map(|(value, text)| format!("{value}: {text}")).collect();
        line(&format!("Option {} (default {}). {}.", option.name, option.default, values.join("; ")));
    }
    if let Some(reason) = &clause.untestable {
        line(&format!("No test shows it: {reason}"));
    }
    text
}
