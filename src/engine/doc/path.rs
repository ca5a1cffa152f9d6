//! Where in a document something stands, independent of lines and columns.

use std::fmt;

/// One step down into a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Segment {
    /// The value under a key of a map.
    Key(String),
    /// An item of a list, counted from zero.
    Index(usize),
    /// The key itself rather than what stands under it: an unknown key is marked, not its value.
    Name(String),
}

/// A path from the top of a document to one of its parts, written `moves[3].to`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct DocPath(Vec<Segment>);

impl DocPath {
    /// The whole document.
    pub fn root() -> Self {
        DocPath::default()
    }

    /// The value under `key` of the map at this path.
    pub fn key(&self, key: &str) -> DocPath {
        self.step(Segment::Key(key.to_owned()))
    }

    /// The item `index` (from zero) of the list at this path.
    pub fn index(&self, index: usize) -> DocPath {
        self.step(Segment::Index(index))
    }

    /// The key `key` itself of the map at this path.
    pub fn name(&self, key: &str) -> DocPath {
        self.step(Segment::Name(key.to_owned()))
    }

    /// The part of the document at `below`, seen from this path.
    pub fn join(&self, below: &DocPath) -> DocPath {
        DocPath(self.0.iter().chain(&below.0).cloned().collect())
    }

    /// The same below another path, if it lies at or below `from`.
    pub fn moved(self, from: &DocPath, to: &DocPath) -> DocPath {
        match self.0.strip_prefix(&from.0[..]) {
            Some(below) => DocPath(to.0.iter().chain(below).cloned().collect()),
            None => self,
        }
    }

    /// The steps from the top.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    fn step(&self, segment: Segment) -> DocPath {
        let mut segments = Vec::with_capacity(self.0.len() + 1);
        segments.extend_from_slice(&self.0);
        segments.push(segment);
        DocPath(segments)
    }
}

impl fmt::Display for DocPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("(file)");
        }
        for (depth, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) | Segment::Name(key) => {
                    if depth > 0 {
                        f.write_str(".")?;
                    }
                    f.write_str(key)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_like_what_a_player_would_point_at() {
        let root = DocPath::root();
        assert_eq!(root.to_string(), "(file)");
        assert_eq!(root.key("moves").index(3).key("to").to_string(), "moves[3].to");
        assert_eq!(root.index(2).to_string(), "[2]");
        assert_eq!(root.key("moves").name("tto").to_string(), "moves.tto");
    }
}
