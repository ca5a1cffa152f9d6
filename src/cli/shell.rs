//! `garcia completions` and `garcia man`: what a shell and a system expect of a program.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::trust::store::{Readers, write_whole};

use super::{Cli, Done, Trouble, World};

/// Write completions for a shell.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia completions bash > ~/.local/share/bash-completion/completions/garcia
  garcia completions zsh > ~/.zfunc/_garcia
  garcia completions fish > ~/.config/fish/completions/garcia.fish")]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

/// Write the man pages into a folder.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  garcia man ~/.local/share/man/man1")]
pub struct Man {
    /// The folder.
    folder: PathBuf,
}

impl Completions {
    pub(super) fn run(self, _: &World) -> Result<Done, Trouble> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "garcia", &mut text);
        Ok(Done::good(String::from_utf8_lossy(&text)))
    }
}

impl Man {
    pub(super) fn run(self, _: &World) -> Result<Done, Trouble> {
        let mut command = Cli::command();
        command.build();
        let verbs: Vec<clap::Command> = command.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned().collect();
        let mut pages = vec![("garcia.1".to_owned(), command)];
        for verb in verbs.into_iter().filter(|verb| verb.get_name() != "help") {
            pages.push((format!("garcia-{}.1", verb.get_name()), verb));
        }
        let count = pages.len();
        for (file, command) in pages {
            let mut text = Vec::new();
            clap_mangen::Man::new(command).render(&mut text).map_err(|error| Trouble::bug(error.to_string()))?;
            write_whole(&self.folder.join(file), &text, Readers::Anyone)?;
        }
        Ok(Done::good(format!("{count} pages are written to {}.\n", self.folder.display())))
    }
}
