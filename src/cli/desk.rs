//! `garcia desk`: a game folder as a page in the player's own browser.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::desk::{self, Listening};

use super::list::games_below;
use super::{Done, Trouble, World, exit, folder};

/// Open a game as a page in your browser: map, orders by mouse or keyboard, reports, signing.
///
/// The page is served to this machine alone, under an address with a secret in it; nothing leaves the machine and nothing
/// is installed. Click a unit, see where it may go, click a hex: the order stands in the file beside the map, which you
/// may also type into, and every mistake shows at once. What it saves is the order file that `check` and `send` read.
/// `Ctrl-C` ends it; nothing is lost.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia desk                     the game in this folder
  garcia desk ~/games             all games below a folder, with whose move it is
  garcia desk --no-browser        only print the address
  garcia desk --port 8080         at a port of your choice")]
pub struct Desk {
    /// A game folder, or one with games below it; otherwise the game here, or the games below here.
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// The port; the first free one from 1898 on if left out.
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Open no browser.
    #[arg(long)]
    no_browser: bool,
}

impl Desk {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let desk = self.desk(world)?;
        let listening = desk::serve(desk, self.port).map_err(|error| taken(self.port, &error))?;
        self.announce(&listening, world)?;
        listening.stay().map_err(|error| Trouble::bug(error.to_string()))?;
        Ok(Done::good(""))
    }

    /// The game that is named or at hand; else all games below.
    fn desk(&self, world: &World) -> Result<desk::Desk, Trouble> {
        let named = self.folder.clone().or_else(|| world.game.clone());
        let there = World { game: named.clone(), ..world.clone() };
        match folder::find(&there) {
            Ok(folder) => Ok(desk::Desk::of_game(folder, world)),
            Err(_) => {
                let root = named.unwrap_or_default();
                if games_below(&root)?.is_empty() {
                    let what = format!("there is no game in {} nor below it", shown(&root));
                    return Err(Trouble::usage(what, "begin one with `garcia new GAME --solo`, or name its folder"));
                }
                Ok(desk::Desk::of_games(root, world))
            }
        }
    }

    /// Says where the desk is, and shows it if it can.
    fn announce(&self, listening: &Listening, world: &World) -> Result<(), Trouble> {
        let address = &listening.address;
        let text = match world.json {
            true => format!("{}\n", json!({ "address": address })),
            false => format!("The desk is open at\n  {address}\nCtrl-C ends it; nothing is lost.\n"),
        };
        let mut out = std::io::stdout().lock();
        // The address is all there is to the desk: without it nobody gets in.
        let said = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        said.map_err(|error| Trouble::new(exit::NO_OUTPUT, error.to_string(), "let it print its address"))?;
        if !self.no_browser && !world.json && open::that_detached(address).is_err() {
            eprintln!("No browser could be opened: copy the address into one.");
        }
        Ok(())
    }
}

fn shown(folder: &Path) -> String {
    if folder.as_os_str().is_empty() { "this folder".to_owned() } else { folder.display().to_string() }
}

/// Why no port could be had.
fn taken(port: Option<u16>, error: &std::io::Error) -> Trouble {
    let what = match port {
        Some(port) => format!("port {port} cannot be used: {error}"),
        None => format!("no port from 1898 on is free: {error}"),
    };
    Trouble::new(exit::BUSY, what, "leave `--port` out, name another, or close the other desk")
}
