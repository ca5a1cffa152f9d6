//! `odds` and `los`, still to be written.
use super::SplendidLittleWar;
use super::state::State;
use crate::engine::doc::{Fault, Node};
use crate::engine::{Reply, Seen};

pub fn odds(_: &SplendidLittleWar, _: &Seen<'_, State>, _: &Node) -> Result<Reply, Vec<Fault>> {
    Ok(Reply::default())
}

pub fn sight(_: &SplendidLittleWar, _: &Seen<'_, State>, _: &str, _: &str) -> Result<Reply, Vec<Fault>> {
    Ok(Reply::default())
}
