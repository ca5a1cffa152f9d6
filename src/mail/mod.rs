//! Mail: records out of whatever arrived, and a draft to send.
//!
//! garcia sends nothing and asks for no password. It reads record files, pasted armour, `.eml` and mbox files, and
//! writes text and drafts that any mail program opens.

mod draft;
mod openings;
mod read;

#[cfg(test)]
mod tests;

pub use draft::{Draft, MailPage, base64, subject};
pub use openings::Openings;
pub use read::{Unpacked, plain_text, records_in};
