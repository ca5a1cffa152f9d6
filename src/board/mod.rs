//! Grids, terrain and the lines drawn across them.
//!
//! Everything the games share about the lie of the land and nothing about any rule: printed hex and box numbers, the
//! frames that turn them into geometry, map files, what lies in a cell or along a side, marches with their exact costs
//! and distances. Costs, blocking and passage are the caller's closures. All of it is integer arithmetic and all of it
//! is deterministic: equal routes are told apart by fewest steps and then by lowest cell numbers.

mod bearing;
mod cell;
pub mod counters;
mod field;
mod frame;
mod grid;
mod hex;
mod line;
mod outreach;
mod patch;
mod path;
mod points;
mod roster;
pub mod sheet;
mod shock;
mod square;
mod terrain;

#[cfg(test)]
mod testing;

pub use bearing::{Bearing, Facing, Relative};
pub use cell::{Border, Hex, NotANumber, Square};
pub use field::{Field, distance_field};
pub use frame::{Frame, FrameFault, Numbering, Orientation, RowsGrow, Shifted};
pub use grid::Grid;
pub use hex::HexGrid;
pub use line::{Stretch, crossed, straightest_paths};
pub use outreach::{InReach, outreach};
pub use patch::Patch;
pub use path::{Reach, Step, Stride, Walk, WalkFault, cheapest_path, march, reach, walk};
pub use points::{NotPoints, Points};
pub use roster::Roster;
pub use shock::{ShockResult, steps};
pub use square::{Axis, SquareFrame, SquareFrameFault, SquareGrid};
pub use terrain::{BrokenPath, Feature, Features, Layer, NotAdjacent, Terrain};
