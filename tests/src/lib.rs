//! Tests that cross crates live beside this file, in `tests/tests`.
