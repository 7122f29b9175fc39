//! Width and height of an image from its first bytes in base64, without decoding the rest.

/// Width and height in pixels of a PNG, GIF, JPEG or WebP in base64; `None` for other data and for broken
/// headers. Decodes a few bytes; of a JPEG, a few bytes per segment before the image data.
pub(crate) fn image_size(base64: &str) -> Option<(u32, u32)> {
    let bytes = Bytes(base64.as_bytes());
    match bytes.array(0)? {
        [0x89, b'P', b'N', b'G'] => {
            Some((u32::from_be_bytes(bytes.array(16)?), u32::from_be_bytes(bytes.array(20)?)))
        }
        [b'G', b'I', b'F', b'8'] => Some((bytes.little_endian(6)?, bytes.little_endian(8)?)),
        [0xFF, 0xD8, 0xFF, _] => jpeg(bytes),
        [b'R', b'I', b'F', b'F'] if bytes.array(8)? == *b"WEBP" => webp(bytes),
        _ => None,
    }
}

/// How many bytes a base64 text decodes to.
pub(crate) fn decoded_length(base64: &str) -> u32 {
    let digits = base64.trim_end_matches('=').len();
    u32::try_from(digits / 4 * 3 + digits % 4 * 3 / 4).unwrap_or(u32::MAX)
}

/// Skips the segments of a JPEG, each of which has its length, up to the one that begins a frame.
fn jpeg(bytes: Bytes) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let [0xFF, marker, ..] = bytes.array::<4>(at)? else { return None };
        match marker {
            // Any number of fill bytes may be between segments.
            0xFF => at += 1,
            0xC4 | 0xC8 | 0xCC | 0x02..=0xBF | 0xE0..=0xFE => {
                at += 2 + usize::try_from(bytes.big_endian(at + 2)?).ok()?;
            }
            0xC0..=0xCF => return Some((bytes.big_endian(at + 7)?, bytes.big_endian(at + 5)?)),
            0xDA | 0xD9 | 0x00 => return None,
            0x01 | 0xD0..=0xD8 => at += 2,
            0xDB..=0xDF => at += 2 + usize::try_from(bytes.big_endian(at + 2)?).ok()?,
        }
    }
}

/// Lossy, lossless and extended WebP files have their size in different places.
fn webp(bytes: Bytes) -> Option<(u32, u32)> {
    const FOURTEEN_BITS: u32 = 0x3FFF;
    match &bytes.array(12)? {
        b"VP8 " => Some((
            bytes.little_endian(26)? & FOURTEEN_BITS,
            bytes.little_endian(28)? & FOURTEEN_BITS,
        )),
        b"VP8L" => {
            let sizes = u32::from_le_bytes(bytes.array(21)?);
            Some(((sizes & FOURTEEN_BITS) + 1, (sizes >> 14 & FOURTEEN_BITS) + 1))
        }
        b"VP8X" => {
            let side = |at| Some((u32::from_le_bytes(bytes.array(at)?) & 0xFF_FFFF) + 1);
            Some((side(24)?, side(27)?))
        }
        _ => None,
    }
}

/// The bytes of a base64 text, decoded one at a time.
#[derive(Clone, Copy)]
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(self, at: usize) -> Option<u8> {
        let first = at / 3 * 4 + at % 3;
        let bits = u16::from(self.digit(first)?) << 6 | u16::from(self.digit(first + 1)?);
        // Two digits are twelve bits. The first zero, two or four belong to the byte before.
        let [_, byte] = (bits >> (4 - at % 3 * 2)).to_be_bytes();
        Some(byte)
    }

    fn digit(self, at: usize) -> Option<u8> {
        Some(match *self.0.get(at)? {
            letter @ b'A'..=b'Z' => letter - b'A',
            letter @ b'a'..=b'z' => letter - b'a' + 26,
            digit @ b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        })
    }

    fn array<const COUNT: usize>(self, at: usize) -> Option<[u8; COUNT]> {
        let mut array = [0; COUNT];
        for (index, byte) in array.iter_mut().enumerate() {
            *byte = self.byte(at + index)?;
        }
        Some(array)
    }

    fn big_endian(self, at: usize) -> Option<u32> {
        self.array(at).map(|pair| u32::from(u16::from_be_bytes(pair)))
    }

    fn little_endian(self, at: usize) -> Option<u32> {
        self.array(at).map(|pair| u32::from(u16::from_le_bytes(pair)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base64(bytes: &[u8]) -> String {
        const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let digits = bytes.chunks(3).flat_map(|chunk| {
            let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
            let bits = bits << (8 * (3 - chunk.len()));
            (0..=chunk.len()).map(move |index| bits >> (18 - 6 * index) & 63)
        });
        digits.map(|digit| char::from(DIGITS[digit as usize])).collect()
    }

    fn jpeg_of(segments: &[(u8, usize)]) -> Vec<u8> {
        let mut bytes = vec![0xFF, 0xD8];
        for (marker, length) in segments {
            bytes.extend([0xFF, *marker]);
            bytes.extend(u16::try_from(*length).unwrap().to_be_bytes());
            bytes.resize(bytes.len() + length - 2, 7);
        }
        // Precision, height, width.
        bytes.extend([0xFF, 0xFF, 0xC2, 0, 17, 8, 2, 28, 3, 192, 3]);
        bytes
    }

    #[test]
    fn the_size_is_read_from_the_header_of_every_image_type() {
        let png =
            [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0, 0, 5, 0, 0, 0, 2, 208]].concat();
        let gif = [b"GIF89a".as_slice(), &[64, 1, 240, 0]].concat();
        let riff = |kind: &[u8], rest: &[u8]| [b"RIFF\0\0\0\0WEBP", kind, &[0; 4], rest].concat();
        let lossy = riff(b"VP8 ", &[0, 0, 0, 0x9D, 1, 42, 64, 65, 240, 0]);
        let lossless = riff(b"VP8L", &[0x2F, 0x3F, 0xC1, 0x3B, 0, 0]);
        let extended = riff(b"VP8X", &[0, 0, 0, 0, 63, 1, 0, 239, 0, 0, 0]);
        assert_eq!(image_size(&base64(&png)), Some((1_280, 720)));
        for small in [gif, lossy, lossless, extended] {
            assert_eq!(image_size(&base64(&small)), Some((320, 240)), "{small:?}");
        }
        assert_eq!(image_size("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"), Some((1, 1)));
    }

    #[test]
    fn the_size_of_a_jpeg_is_found_after_any_metadata() {
        for segments in [&[][..], &[(0xE0, 16)], &[(0xE1, 65_000), (0xE2, 60_000), (0xDB, 67)]] {
            assert_eq!(image_size(&base64(&jpeg_of(segments))), Some((960, 540)));
        }
    }

    #[test]
    fn data_that_is_not_an_image_has_no_size() {
        let cut = base64(&jpeg_of(&[(0xE1, 400)]));
        for end in (0..cut.len()).step_by(9) {
            assert_eq!(cut.get(..end).and_then(image_size), None);
        }
        let endless = base64(&[&[0xFF, 0xD8][..], &[0xFF; 5_000]].concat());
        let stuck = base64(&[0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0xFF, 0xE0, 0, 0]);
        for text in ["", "AAAA", "not base64!", "R0lGODlh", "JVBERi0xLjQK", &endless, &stuck] {
            assert_eq!(image_size(text), None, "{text}");
        }
    }

    #[test]
    fn the_decoded_length_is_the_number_of_encoded_bytes() {
        for count in 0..9 {
            let text = base64(&vec![1; count]);
            assert_eq!(decoded_length(&text) as usize, count);
            assert_eq!(decoded_length(&format!("{text}==")) as usize, count);
        }
    }
}
