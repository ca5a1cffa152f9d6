//! Signatures: Ed25519 over the id of a record, verified strictly.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use super::bytes::{Bytes, Id, Sig};
use super::secret::Randomness;

/// A player's private key. It never leaves the secrets folder.
#[cfg_attr(test, derive(Clone))]
pub struct PrivateKey(SigningKey);

impl PrivateKey {
    /// A new key from the randomness of the operating system.
    pub fn fresh() -> Result<PrivateKey, getrandom::Error> {
        PrivateKey::drawn(&Randomness::System)
    }

    pub(super) fn drawn(randomness: &Randomness) -> Result<PrivateKey, getrandom::Error> {
        Ok(PrivateKey::from_seed(&*randomness.draw("key")?))
    }

    /// The key that grows from a 32-byte seed.
    pub fn from_seed(seed: &[u8; 32]) -> PrivateKey {
        PrivateKey(SigningKey::from_bytes(seed))
    }

    /// The seed, to be written into the identity file.
    pub fn seed(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.0.to_bytes())
    }

    /// The key others check the signatures with.
    pub fn public(&self) -> Id {
        Bytes(self.0.verifying_key().to_bytes())
    }

    /// Signs a record by its id. The same id always gives the same signature.
    pub fn sign(&self, record: &Id) -> Sig {
        Bytes(self.0.sign(message(record).as_bytes()).to_bytes())
    }
}

fn message(record: &Id) -> String {
    format!("garcia/1/sign\n{record}\n")
}

/// Whether `sig` is `key`'s signature under the record with this id. Strict: no weak key, one encoding of a signature.
pub fn verify(key: &Id, record: &Id, sig: &Sig) -> bool {
    VerifyingKey::from_bytes(&key.0)
        .is_ok_and(|key| key.verify_strict(message(record).as_bytes(), &Signature::from_bytes(&sig.0)).is_ok())
}

/// Whether these bytes can be anybody's key: a point of the curve, and not one under which anything is "signed".
pub fn is_sound(key: &Id) -> bool {
    VerifyingKey::from_bytes(&key.0).is_ok_and(|key| !key.is_weak())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_holds_for_its_record_and_key_alone() {
        let mine = PrivateKey::from_seed(&[7; 32]);
        let yours = PrivateKey::from_seed(&[8; 32]);
        let record = Id::hash("record", &["{}"]);
        let sig = mine.sign(&record);
        assert!(verify(&mine.public(), &record, &sig));
        assert!(!verify(&yours.public(), &record, &sig));
        assert!(!verify(&mine.public(), &Id::hash("record", &["[]"]), &sig));
        for bit in 0..512 {
            let mut bent = sig;
            bent.0[bit / 8] ^= 1 << (bit % 8);
            assert!(!verify(&mine.public(), &record, &bent), "bit {bit}");
        }
        assert_eq!(PrivateKey::from_seed(&mine.seed()).public(), mine.public());
    }

    #[test]
    fn a_key_under_which_anything_is_signed_is_refused() {
        let mut neutral = Id::ZERO;
        neutral.0[0] = 1;
        assert!(!is_sound(&neutral), "the neutral element");
        assert!(!is_sound(&Id::ZERO), "a point of order four");
        assert!(is_sound(&PrivateKey::from_seed(&[1; 32]).public()));
        let mut trivial = Sig::ZERO;
        trivial.0[0] = 1;
        assert!(!verify(&neutral, &Id::ZERO, &trivial), "R = A = neutral, s = 0 satisfies the equation");
    }
}
