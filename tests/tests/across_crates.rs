//! The tests of engine, formats and counters together, in one program that is linked once.

mod all_presets;
mod broken_histories;
mod calibration;
mod calibration_by_script;
mod complete_lists;
mod conversations;
mod every_format;
mod media;
mod packaged;
mod samples;
mod use_of_the_window;
mod whole_requests;
