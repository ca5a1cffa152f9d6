//! Grids, terrain and the lines drawn across them.
