//! Combat in words, still to be written.
use super::SplendidLittleWar;
use super::events::Event;
use crate::engine::Diary;

pub fn tell(_: &SplendidLittleWar, _: &Event, _: &mut Diary) {}
