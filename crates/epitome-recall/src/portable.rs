//! Arithmetic that gives the same bits on every machine, which `ln` and `exp` do not.

/// The natural logarithm of a number from 1 on, by square roots.
pub(crate) fn logarithm(value: f32) -> f32 {
    let root = (0..10).fold(f64::from(value), |root, _| root.sqrt());
    ((root - 1.0) * 1024.0) as f32
}

/// What is left of something after a distance: 1 at 0, and near to `exp(-distance)` after it.
pub(crate) fn decay(distance: f32) -> f32 {
    1.0 / (1.0 + distance + distance * distance / 2.0 + distance * distance * distance / 6.0)
}
