//! Files people write.
//!
//! A file is read in two steps. The text becomes a tree of texts ([`Node`]) with a table from document path
//! (`moves[3].to`) to line and column ([`Source`]); then types pull their fields from the tree ([`FromDoc`]) and push
//! every fault they meet. Faults of form and faults against the rules both carry the document path, so rule code knows
//! no positions, and the same check serves a file and a record.

mod complaint;
pub(crate) mod events;
mod fault;
mod macros;
mod nearest;
mod node;
mod path;
mod reader;
mod source;
mod tree;
mod values;
mod yaml;

pub use crate::{document, printed, words};
pub use fault::Fault;
pub use macros::{Shape, Spelled, field_name, find_word, key_of, or_nothing, read_word, word_or_schema, word_schema};
pub use nearest::{did_you_mean, distance, fold, nearest, one_of};
pub use node::{Node, same_key};
pub use path::{DocPath, Segment};
pub use reader::{
    Fields, FromDoc, Lexicon, PlainTexts, Reader, Unknown, clip, noted, read_as, read_back, read_part, read_text,
};
pub use source::{Place, Source};
pub use tree::read_tree;
pub use yaml::{DEEPEST, LONGEST_FILE, Unreadable, read_document, read_plain_data};
