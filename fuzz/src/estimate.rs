//! Estimates of a text are the same in UTF-8, in UTF-16 and as a string, and any bytes can be counted.

use epitome_tokens::{Estimate, Tokenizer};

/// All bytes are text.
pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let units: Vec<[u8; 2]> = text.encode_utf16().map(u16::to_le_bytes).collect();
    let (pairs, _) = bytes.as_chunks::<2>();
    for estimate in Estimate::ALL {
        let tokens = estimate.count(&text);
        assert_eq!(estimate.count_utf8(text.as_bytes()), tokens, "{estimate:?} of UTF-8");
        assert_eq!(estimate.count_utf16(&units), tokens, "{estimate:?} of UTF-16");
        let _ = estimate.count_utf8(bytes);
        let _ = estimate.count_utf16(pairs);
    }
}
