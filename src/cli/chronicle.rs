//! `garcia chronicle`: the whole match as one document.

use std::path::PathBuf;

use clap::Args;

use crate::play::{GLANCE, Luck, play_out};
use crate::report::chronicle::Chronicle as Tale;
use crate::report::{Told, html, markdown, terminal};
use crate::trust::store::{Readers, write_whole};

use super::report::Form;
use super::sight::Sight;
use super::{Done, Trouble, World};

/// Tell the whole match as one document: how it ended, turning points, honours, losses by unit, luck, every turn.
///
/// Turning points are the turns after which the chance to win changed most: where a game has sensible players, they play
/// every position out. What still lies face down for you is not told.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia chronicle                                       in the terminal
  garcia chronicle --form markdown --output match.md
  garcia chronicle --form html --output match.html --playouts 50")]
pub struct Chronicle {
    /// In which form.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    form: Form,
    /// Write it into a file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How often each position is played out for the turning points; 0 leaves them out.
    #[arg(long, value_name = "N", default_value_t = 10)]
    playouts: u32,
}

impl Chronicle {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let sight = Sight::open(world)?;
        let (table, replay) = (sight.table(), sight.ledger.replay());
        let played: Vec<_> = replay.played().iter().map(|span| &**span).collect();
        if played.is_empty() {
            return Err(Trouble::usage("nothing has happened yet", "`garcia status` says what is awaited"));
        }
        let luck = Luck::of(table, played.iter().copied(), &GLANCE);
        let mut winning = Vec::new();
        let mut able = self.playouts > 0;
        let first = played.first().map(|span| (&span.base, &span.stop, &span.holdings));
        let positions = first.into_iter().chain(played.iter().map(|span| (&span.state, &span.next, &span.holdings)));
        for (number, (state, stop, holdings)) in positions.enumerate() {
            world.progress.at(number + 1, played.len() + 1);
            let fate =
                able.then(|| play_out(table, state, stop, holdings, self.playouts, &number.to_string())).flatten();
            able &= fate.is_some();
            winning.push(fate);
        }
        let view = sight.view(None);
        let reader = view.side;
        let page = Tale { table, lead: vec![sight.dice_line()], played, reader, view, luck: &luck, winning }.page();
        if world.json {
            return Done::json(&page);
        }
        let text = match self.form {
            Form::Text => terminal(&page, world.look),
            Form::Markdown => markdown(&page),
            Form::Html => {
                let (title, scene) = (page.title.clone(), table.scene(view));
                html(&title, &[Told { page, before: scene.clone(), after: scene, happened: Vec::new() }])
            }
        };
        match self.output {
            None => Ok(Done::good(text)),
            Some(path) => {
                write_whole(&path, text.as_bytes(), Readers::Anyone)?;
                Ok(Done::good(format!("{} is written.\n", path.display())))
            }
        }
    }
}
