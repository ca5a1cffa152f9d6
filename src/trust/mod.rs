//! Records, signatures, dice chains and verification.
