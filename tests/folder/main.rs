//! A game folder and what may happen to it: mails as mail programs write them, damage, locks, machines that go down.

#[path = "../players/mod.rs"]
mod players;

mod hostile_files;
mod killed;
mod mail;
mod mailbox;
mod renew;
mod solo;
