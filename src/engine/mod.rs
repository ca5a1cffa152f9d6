//! Resolution: the umpire, its questions and its journal.
