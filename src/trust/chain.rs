//! Hash chains: each result opens one more link of a chain whose anchor was published before the game.

use super::bytes::Id;
use super::role::Role;

/// How many links every chain has: more than any game needs, so that nobody can be made to run out of them.
pub const LINKS: u32 = 4096;

/// How many the chains of the test vectors have.
pub const TOY_LINKS: u32 = 8;

/// The link before link `index`: what link `index` has to hash to.
pub fn before(role: &Role, index: u32, link: &Id) -> Id {
    Id::hash("link", &[role.as_str(), &index.to_string(), &link.to_string()])
}

/// A whole chain, known to its owner alone.
pub struct Chain {
    links: Vec<Id>,
}

impl Chain {
    /// The chain of `links` links below the secret top.
    pub fn new(role: &Role, top: Id, links: u32) -> Chain {
        let mut all = vec![top];
        for index in (1..=links).rev() {
            if let Some(link) = all.last() {
                all.push(before(role, index, link));
            }
        }
        all.reverse();
        Chain { links: all }
    }

    /// Link 0, published at the start.
    pub fn anchor(&self) -> Id {
        self.links.first().copied().unwrap_or(Id::ZERO)
    }

    /// Link `index`, published by the `index`-th result; nothing beyond the top.
    pub fn link(&self, index: u32) -> Option<Id> {
        self.links.get(usize::try_from(index).ok()?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_hashes_to_the_one_before_for_its_role_and_place_only() {
        let us: Role = "us".parse().expect("a role");
        let chain = Chain::new(&us, Id::hash("x", &["top"]), 5);
        for index in 1..=5 {
            let link = chain.link(index).expect("a link");
            assert_eq!(before(&us, index, &link), chain.link(index - 1).expect("a link"));
            assert_ne!(before(&us, index + 1, &link), chain.link(index - 1).expect("a link"));
            assert_ne!(before(&Role::gm(), index, &link), chain.link(index - 1).expect("a link"));
        }
        assert_eq!(chain.link(5), Some(Id::hash("x", &["top"])));
        assert_eq!(chain.link(6), None);
        assert_eq!(chain.link(0), Some(chain.anchor()));
    }
}
