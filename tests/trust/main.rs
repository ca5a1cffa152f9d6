//! The protocol from outside: what holds in every match, and what whoever cheats comes to. One program for all of it,
//! since every test program links the whole library.

#[path = "../players/mod.rs"]
mod players;

mod attacks;
mod bytes;
mod closed_counters;
mod director;
mod folders;
mod gm;
mod hidden_armies;
mod letters;
mod many;
mod motions;
mod points;
mod preview;
mod python;
mod rivals;
mod seats;
mod secret_fleet;
mod solo;
mod stories;
mod two;
mod vectors;
mod vectors_motions;
