//! Every target on its stored inputs: the ones that the fuzzer starts from, and the ones that once found something.

use std::fs;
use std::path::Path;

use epitome_fuzz::TARGETS;

#[test]
fn every_target_passes_its_stored_inputs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("inputs");
    for (name, target) in TARGETS {
        let mut files: Vec<_> = fs::read_dir(folder.join(name))
            .unwrap_or_else(|error| panic!("inputs/{name}: {error}"))
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .collect();
        files.sort();
        assert!(!files.is_empty(), "inputs/{name} is empty");
        for file in files {
            let bytes = fs::read(&file).unwrap_or_else(|error| panic!("{error}"));
            // The test harness prints it only for an input that fails.
            println!("{}", file.display());
            target(&bytes);
        }
    }
}

#[test]
fn every_target_takes_no_bytes_and_all_bytes() {
    let all: Vec<u8> = (0..=u8::MAX).cycle().take(1_000).collect();
    for (name, target) in TARGETS {
        println!("{name}");
        target(&[]);
        for first in 0..4 {
            target(&[&[first], all.as_slice()].concat());
        }
    }
}
