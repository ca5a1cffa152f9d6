//! What players look at in every game: the desk by its requests and in a browser, mails, maps, reports.

#[path = "../players/mod.rs"]
mod players;
mod room;

mod browser;
mod chromium;
mod desk;
mod map;
mod matches;
mod papers;
