//! The program that the fuzzer runs: one target, named by `EPITOME_FUZZ_TARGET`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    static TARGET: std::sync::OnceLock<epitome_fuzz::Target> = std::sync::OnceLock::new();
    let target = TARGET.get_or_init(|| {
        let name = std::env::var("EPITOME_FUZZ_TARGET").unwrap_or_default();
        match epitome_fuzz::target(&name) {
            Some(target) => target,
            None => panic!("EPITOME_FUZZ_TARGET={name} is no target"),
        }
    });
    target(bytes);
});

#[cfg(not(fuzzing))]
fn main() {
    // Without the fuzzer the program does what the tests do: it runs its targets on the stored inputs.
    eprintln!("`cargo xtask fuzz` builds this program with the fuzzer in it");
}
