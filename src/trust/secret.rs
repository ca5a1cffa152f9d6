//! What a player keeps to himself during a game, and the commitments that bind him to it.
//!
//! One secret of 32 random bytes per game and role. The chain of links, the nonces and the salts are derived from it,
//! so that signing the same thing twice gives the same bytes.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::bytes::{Bytes, Id};
use super::chain::Chain;
use super::role::Role;
use crate::engine::Slot;
use crate::engine::digest::{from_hexadecimal, to_hexadecimal};
use crate::engine::json::Json;

/// Where keys and secrets come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Randomness {
    /// The operating system.
    System,
    /// Derived from a seed, so that a match can be played again with the same dice.
    Seeded([u8; 32]),
}

impl Randomness {
    pub(super) fn seeded(seed: &str) -> Randomness {
        Randomness::Seeded(*derive(&[0; 32], "seeded", &[seed]))
    }

    /// 32 bytes; `purpose` tells one draw of a seed from another.
    pub(super) fn draw(&self, purpose: &str) -> Result<Zeroizing<[u8; 32]>, getrandom::Error> {
        match self {
            Randomness::System => {
                let mut bytes = Zeroizing::new([0; 32]);
                getrandom::fill(bytes.as_mut())?;
                Ok(bytes)
            }
            Randomness::Seeded(seed) => Ok(derive(seed, "draw", &[purpose])),
        }
    }
}

/// HMAC-SHA256 over `garcia/1/<name>` and the lines, each ended by a line feed.
fn derive(secret: &[u8; 32], name: &str, lines: &[&str]) -> Zeroizing<[u8; 32]> {
    // A key of any length is taken, hence the fallback is never used; it only avoids a panic in the type.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else { return Zeroizing::new([0; 32]) };
    mac.update(b"garcia/1/");
    mac.update(name.as_bytes());
    mac.update(b"\n");
    for line in lines {
        mac.update(line.as_bytes());
        mac.update(b"\n");
    }
    Zeroizing::new(mac.finalize().into_bytes().into())
}

/// The secret of one role in one game.
#[derive(Clone)]
pub struct GameSecret(Zeroizing<[u8; 32]>);

impl GameSecret {
    /// A new secret from the randomness of the operating system.
    pub fn fresh() -> Result<GameSecret, getrandom::Error> {
        GameSecret::drawn(&Randomness::System, "secret")
    }

    pub(super) fn drawn(randomness: &Randomness, purpose: &str) -> Result<GameSecret, getrandom::Error> {
        randomness.draw(purpose).map(GameSecret)
    }

    /// The secret with these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> GameSecret {
        GameSecret(Zeroizing::new(bytes))
    }

    /// Reads the secret from the secrets file.
    pub fn parse(text: &str) -> Option<GameSecret> {
        from_hexadecimal(text).map(GameSecret::from_bytes)
    }

    /// The text for the secrets file.
    pub fn text(&self) -> Zeroizing<String> {
        Zeroizing::new(to_hexadecimal(self.0.as_ref()))
    }

    /// The chain of links this role closes segments with.
    pub fn chain(&self, role: &Role, links: u32) -> Chain {
        Chain::new(role, Bytes(*derive(&self.0, "derive/chain", &[])), links)
    }

    /// The secret behind all salts; published at the audit.
    pub fn hide(&self) -> HideSecret {
        HideSecret(Bytes(*derive(&self.0, "derive/hide", &[])))
    }

    /// The nonce of orders that follow the record `prev`.
    pub fn nonce(&self, prev: &Id) -> Id {
        let secret = derive(&self.0, "derive/nonce", &[]);
        Bytes(*derive(&secret, "nonce", &[&prev.to_string()]))
    }
}

/// The secret behind the salts of one role; whoever has it can open every commitment of that role.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct HideSecret(pub Id);

impl HideSecret {
    /// The salt of one version of a slot.
    pub fn salt(&self, slot: &Slot, version: u32) -> Id {
        Bytes(*derive(&self.0.0, "salt", &[slot.as_str(), &version.to_string()]))
    }
}

/// The commitment to a value: binding, and silent about it as long as the salt is unknown.
pub fn commitment(game: &Id, role: &Role, slot: &Slot, version: u32, salt: &Id, value: &Json) -> Id {
    Id::hash(
        "hide",
        &[&game.to_string(), role.as_str(), slot.as_str(), &version.to_string(), &salt.to_string(), &value.to_string()],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_fresh_secrets_differ_and_a_secret_reads_back() {
        let secret = GameSecret::fresh().expect("randomness");
        assert_ne!(secret.text(), GameSecret::fresh().expect("randomness").text());
        let again = GameSecret::parse(&secret.text()).expect("its own text");
        assert_eq!(again.hide().0, secret.hide().0);
        assert!(GameSecret::parse("short").is_none());
    }

    #[test]
    fn a_commitment_holds_for_one_game_role_slot_version_and_value() {
        let hide = GameSecret::from_bytes([3; 32]).hide();
        let (slot, other) = (Slot::parse("s-01").expect("slot"), Slot::parse("s-02").expect("slot"));
        let (us, spain): (Role, Role) = ("us".parse().expect("role"), "spain".parse().expect("role"));
        let game = Id::hash("record", &["{}"]);
        let value = Json::object([("unit", "dummy")]);
        let salt = hide.salt(&slot, 1);
        assert_ne!(salt, hide.salt(&slot, 2));
        assert_ne!(salt, hide.salt(&other, 1));
        let made = commitment(&game, &us, &slot, 1, &salt, &value);
        assert_ne!(made, commitment(&Id::ZERO, &us, &slot, 1, &salt, &value));
        assert_ne!(made, commitment(&game, &spain, &slot, 1, &salt, &value));
        assert_ne!(made, commitment(&game, &us, &other, 1, &salt, &value));
        assert_ne!(made, commitment(&game, &us, &slot, 2, &salt, &value));
        assert_ne!(made, commitment(&game, &us, &slot, 1, &salt, &Json::map()));
    }
}
