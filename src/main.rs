//! The `garcia` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    garcia::cli::run(std::env::args_os())
}
