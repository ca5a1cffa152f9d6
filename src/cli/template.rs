//! `garcia template`: an order file for this very moment.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::engine::Stop;
use crate::engine::submission::{self, schema_of_moment};
use crate::trust::store::{Lock, Readers, write_whole};

use super::folder::{ORDERS, SCHEMAS};
use super::new::write_schemas;
use super::schemas::{order_file_name, order_files};
use super::sight::Sight;
use super::{Done, Trouble, World, exit, next};

/// Write an order file for this very moment.
///
/// Every unit that may act stands in it with its position, its allowance and what it may do, every question that may
/// come up with its default. As it is written it is a legal file; change what you like.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia template                       show it
  garcia template --write               write it into the folder `orders`
  garcia template --output my.yaml      write it elsewhere")]
pub struct Template {
    /// Write it into the folder `orders` of the game.
    #[arg(long, conflicts_with = "output")]
    write: bool,
    /// Write it into this file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Template {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let sight = Sight::open(world)?;
        if *sight.stop() == Stop::End {
            return Err(Trouble::usage("the game is over: no orders are due", "`garcia report` tells how it ended"));
        }
        let file = file_name(&sight);
        // What is only shown refers to the schema that is always there.
        let keeps = self.write || self.output.is_some();
        let text = if keeps {
            text(&sight)
        } else {
            nothing_due(&sight).map_or_else(String::new, |what| format!("# {what}")) + &shown(&sight)
        };
        let path = match (self.output, self.write) {
            (Some(path), _) => path,
            (None, true) => sight.folder.join(ORDERS).join(&file),
            (None, false) if world.json => return Done::json(&json!({ "template": text })),
            (None, false) => return Ok(Done::good(text)),
        };
        if path.exists() {
            let what = format!("{} is there already", path.display());
            return Err(Trouble::usage(what, "edit it, or write to another file with `--output FILE`"));
        }
        let _held = Lock::take(&sight.folder)?;
        keep_schemas(&sight)?;
        write_whole(&path, text.as_bytes(), Readers::Anyone)
            .map_err(|trouble| Trouble::new(exit::NO_OUTPUT, trouble.to_string(), "write it elsewhere"))?;
        let shown = path.display();
        if world.json {
            return Done::json(&json!({ "file": shown.to_string() }));
        }
        let (verb, idle) = (sight.signing_verb(), nothing_due(&sight).unwrap_or_default());
        let then = format!("{shown} is written. Edit it, then:\n  garcia check {shown}\n  garcia {verb} {shown}\n");
        Ok(Done::good(then + &idle))
    }
}

/// What is to be said where nothing is due from whoever looks: the file is that of the next one who moves, or of a moment
/// he has signed for already.
fn nothing_due(sight: &Sight) -> Option<String> {
    let waits = || next::steps(&sight.ledger, sight.role.as_ref()).into_iter().next().unwrap_or_default();
    (!sight.has_to_decide()).then(|| format!("Nothing is due from you now. {}\n", waits()))
}

/// The order file for the moment with the schema that is always there, and where it is kept.
pub fn written(sight: &Sight) -> (PathBuf, String) {
    (sight.folder.join(ORDERS).join(file_name(sight)), shown(sight))
}

/// The order file as it is kept: it refers to the schema of this very moment.
pub fn text(sight: &Sight) -> String {
    match moment(sight) {
        Some(_) => referring_to(sight, &moment_name(sight)),
        None => shown(sight),
    }
}

/// The order file as it is only shown.
fn shown(sight: &Sight) -> String {
    referring_to(sight, &order_file_name(sight.table().ruleset(), schema_packet(sight)))
}

fn referring_to(sight: &Sight, schema: &str) -> String {
    sight.due(|due| submission::template(due, &format!("../{SCHEMAS}/{schema}")))
}

/// Writes the schemas that order files refer to.
pub fn keep_schemas(sight: &Sight) -> Result<(), Trouble> {
    write_schemas(&sight.folder, sight.table().ruleset())?;
    if let Some(schema) = moment(sight) {
        let path = sight.folder.join(SCHEMAS).join(moment_name(sight));
        write_whole(&path, format!("{schema}\n").as_bytes(), Readers::Anyone)?;
    }
    Ok(())
}

fn moment_name(sight: &Sight) -> String {
    Path::new(&file_name(sight)).with_extension("json").display().to_string()
}

/// The schema of the file due.
pub fn schema(sight: &Sight) -> Option<serde_json::Value> {
    let game = sight.table().ruleset();
    let name = order_file_name(game, schema_packet(sight));
    order_files(game).into_iter().find(|(file, _)| *file == name).map(|(_, schema)| schema)
}

/// The schema of the file due, with the units, hexes and places of this position.
fn moment(sight: &Sight) -> Option<serde_json::Value> {
    let scene = sight.table().scene(sight.view(sight.stop().who()));
    Some(schema_of_moment(schema(sight)?, &scene, sight.stop()))
}

/// The packet whose schema describes the file due; answers belong to the packet of their span.
fn schema_packet(sight: &Sight) -> &'static str {
    let begun = sight.table().packet_due(sight.ledger.replay().began());
    match (sight.stop(), &begun) {
        (Stop::Orders { ask, .. }, _) | (_, Stop::Orders { ask, .. }) => ask,
        _ => "turn",
    }
}

/// `t3-us-turn.yaml`; a second file of answers in one turn gets the number of its record.
pub fn file_name(sight: &Sight) -> String {
    let stop = sight.stop();
    let who = match stop.who().map_or("all", |side| side.as_str()) {
        who if says_whose(stop.ask(), who) => String::new(),
        who => format!("{who}-"),
    };
    let turn = sight.table().turn(sight.view(None).state);
    let number = match stop {
        Stop::Orders { .. } => String::new(),
        _ => format!("-{}", sight.ledger.records().len()),
    };
    format!("t{turn}-{who}{}{number}.yaml", stop.ask())
}

/// What belongs to a side is called otherwise than the side: its word in the names of packets.
const BELONGING: [(&str, &str); 1] = [("spain", "spanish")];

/// Whether the name of a packet says whose it is: `us-setup`, or `spanish-turn` for Spain's.
fn says_whose(packet: &str, side: &str) -> bool {
    let word = packet.split('-').next().unwrap_or_default();
    word == side || BELONGING.contains(&(side, word))
}

#[cfg(test)]
mod tests {
    use super::says_whose;

    #[test]
    fn a_file_names_a_side_once() {
        for (packet, side, says) in [
            ("us-setup", "us", true),
            ("spanish-defensive-fire", "spain", true),
            ("cuban-setup", "us", false),
            ("setup", "spain", false),
            ("turn", "us", false),
            ("setup", "all", false),
            ("spare-turn", "spain", false),
            ("allied-turn", "all", false),
            ("usual-turn", "us", false),
        ] {
            assert_eq!(says_whose(packet, side), says, "{packet} of {side}");
        }
    }
}
