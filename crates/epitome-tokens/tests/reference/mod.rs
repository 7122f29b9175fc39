//! The encodings under test, and a reference by definition: a regular expression, and merging.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use epitome_tests::skipped;
use epitome_tokens::BytePairs;
use fancy_regex::Regex;
use serde_json::Value;

const NAMES: [&str; 2] = ["cl100k_base", "o200k_base"];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The packed vocabulary `name`, which is packed first if necessary. `None`, and the test is listed as skipped, if that fails.
pub(crate) fn packed(name: &str) -> Option<Vec<u8>> {
    static PACKED: OnceLock<()> = OnceLock::new();
    let path = root().join(format!("crates/epitome-wasm/npm/encodings/{name}.vocab"));
    PACKED.get_or_init(|| {
        if !path.exists() {
            let mut pack = Command::new(env!("CARGO"));
            let _ =
                pack.args(["run", "--package=xtask", "--", "vocab"]).current_dir(root()).status();
        }
    });
    let file = std::fs::read(path).ok();
    if file.is_none() {
        skip_without(name);
    }
    file
}

fn skip_without(vocabulary: &str) {
    skipped(&format!("the vocabulary {vocabulary} is missing; `cargo xtask vocab` says why"));
}

/// The encodings whose vocabularies are available, read once.
pub(crate) fn encodings() -> &'static [(&'static str, BytePairs)] {
    static READ: OnceLock<Vec<(&str, BytePairs)>> = OnceLock::new();
    let read = |name| Some((name, BytePairs::read(&packed(name)?).unwrap()));
    let encodings = READ.get_or_init(|| NAMES.into_iter().filter_map(read).collect());
    // The vocabularies are read in only one of the tests, but each test that lacks one is listed.
    for name in NAMES.iter().filter(|name| !encodings.iter().any(|(known, _)| known == *name)) {
        skip_without(name);
    }
    encodings
}

/// An encoding, by definition.
pub(crate) struct Reference {
    pattern: Regex,
    ranks: BTreeMap<Vec<u8>, u32>,
}

impl Reference {
    /// Reads the rank file of the pinned package. `None`, and the test is listed as skipped, if the package is not installed.
    pub(crate) fn read(name: &str) -> Option<Self> {
        let path = root().join(format!("node_modules/tiktoken/encoders/{name}.json"));
        let Ok(text) = std::fs::read_to_string(&path) else {
            skipped(&format!("{} is missing; `npm ci` installs it", path.display()));
            return None;
        };
        let document: Value = serde_json::from_str(&text).unwrap();
        let words = document["bpe_ranks"].as_str().unwrap().split(' ').skip(2);
        let ranks = (0..).zip(words).map(|(rank, word)| (base64(word), rank)).collect();
        Some(Self { pattern: Regex::new(document["pat_str"].as_str().unwrap()).unwrap(), ranks })
    }

    pub(crate) fn encode(&self, text: &str) -> Vec<u32> {
        let pieces = self.pattern.find_iter(text).map(|piece| piece.unwrap().as_str());
        pieces.flat_map(|piece| self.merge(piece.as_bytes())).collect()
    }

    /// Merges the neighbours of the lowest rank, and of equals the leftmost, until no neighbours merge.
    fn merge(&self, piece: &[u8]) -> Vec<u32> {
        let mut ends: Vec<usize> = (0..=piece.len()).collect();
        loop {
            let joined = ends.windows(3).enumerate();
            let ranked = joined
                .filter_map(|(at, ends)| Some((self.ranks.get(&piece[ends[0]..ends[2]])?, at)));
            let Some((_, at)) = ranked.min() else { break };
            ends.remove(at + 1);
        }
        ends.windows(2).map(|ends| self.ranks[&piece[ends[0]..ends[1]]]).collect()
    }
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.trim_end_matches('=').bytes();
    let digits = digits.map(|digit| DIGITS.iter().position(|&known| known == digit).unwrap());
    let bits: Vec<usize> =
        digits.flat_map(|digit| (0..6).rev().map(move |bit| digit >> bit & 1)).collect();
    let bytes = bits.chunks_exact(8);
    bytes.map(|bits| bits.iter().fold(0, |byte, &bit| byte << 1 | bit as u8)).collect()
}

/// A pseudo-random number generator (xorshift). `tests/node/golden-counts.mjs` generates the same numbers.
pub(crate) struct Prng(pub(crate) u32);

impl Prng {
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 % bound
    }
}

/// The material that the texts of the tests are composed of.
pub(crate) struct Corpus(Value);

impl Corpus {
    pub(crate) fn read() -> Self {
        let path = root().join("crates/epitome-tokens/tests/golden/corpus.json");
        Self(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
    }

    pub(crate) fn number(&self, name: &str) -> u32 {
        u32::try_from(self.0[name].as_u64().unwrap()).unwrap()
    }

    pub(crate) fn texts(&self, name: &str) -> Vec<&str> {
        self.0[name].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
    }

    /// The texts of one block: the same ones as in `tests/node/golden-counts.mjs`.
    pub(crate) fn block(&self, index: u32) -> Vec<String> {
        let mut prng = Prng(self.number("seed") + index);
        let fragments = self.texts("fragments");
        let longest = self.number("longestText");
        let text = |prng: &mut Prng| {
            let kind = prng.below(4);
            let length = 1 + prng.below(longest);
            let mut text = String::new();
            for _ in 0..length {
                if kind > 1 {
                    text += fragments[prng.below(fragments.len() as u32) as usize];
                } else {
                    let code = prng.below(if kind == 0 { 0x11_0000 } else { 0x3000 });
                    text.push(char::from_u32(code).unwrap_or('A'));
                }
            }
            text
        };
        (0..self.number("textsPerBlock")).map(|_| text(&mut prng)).collect()
    }
}

/// The lines at the start of each file of recorded conversations. Empty, and the test is listed as skipped,
/// if there are none.
pub(crate) fn recordings(bytes_of_a_file: usize) -> Vec<String> {
    let folder = match std::env::var_os("EPITOME_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => root().join("../shared/data"),
    };
    let mut texts = Vec::new();
    for path in
        ["openai", "malformed", "shapes"].map(|name| folder.join(name)).iter().flat_map(files)
    {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let mut text = Vec::new();
        if path.extension().is_some_and(|extension| extension == "gz") {
            let decoder = flate2::read::GzDecoder::new(bytes.as_slice());
            decoder.take(bytes_of_a_file as u64).read_to_end(&mut text).unwrap();
        } else {
            text.extend(bytes.iter().take(bytes_of_a_file));
        }
        texts.extend(String::from_utf8_lossy(&text).lines().map(str::to_owned));
    }
    if texts.is_empty() {
        skipped("no real conversations here; point EPITOME_DATA at a folder that has some");
    }
    texts
}

fn files(folder: &PathBuf) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
