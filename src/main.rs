//! The `garcia` command.

fn main() {}
