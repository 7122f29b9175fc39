//! Tokens of an image, by its size in pixels and its provider's formula.
//!
//! No image is decoded: the reader of a message format reports the size. Formulas are data, so that an app can
//! add that of another model from its provider's documentation.

/// A provider's formula for the tokens of an image.
///
/// ```
/// use epitome::tokens::ImageCost;
///
/// assert_eq!(ImageCost::GPT_4O.tokens(1024, 1024), 765);
/// assert_eq!(ImageCost::GEMINI.tokens(960, 540), 1548);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageCost {
    /// The image is scaled down to fit into 2048 × 2048 pixels with a shorter side of at most 768, and then cut into
    /// tiles of 512 × 512. OpenAI's guide to vision, "Calculating costs", at detail `high`; at detail `low`, and for images
    /// without pixels, it is the base alone.
    Tiles {
        /// Tokens of any image.
        base: u32,
        /// Tokens of each tile.
        tile: u32,
    },
    /// The image is cut into square patches, and scaled down before that if there would be too many. OpenAI's guide
    /// to vision, "Calculating costs".
    Patches {
        /// Side of a patch, in pixels.
        side: u32,
        /// The most patches of an image.
        max_patches: u32,
        /// Tokens for 100 patches.
        tokens_per_100: u32,
    },
    /// Pixels divided by a constant, after scaling down. Anthropic's guide to vision, "Evaluate image size", which
    /// calls it an approximation; later editions count patches of 28 × 28, which gives 4 % fewer tokens.
    Area {
        /// Pixels per token.
        pixels_per_token: u32,
        /// Length of the longer side after scaling down, in pixels.
        max_side: u32,
        /// The most tokens of an image.
        max_tokens: u32,
    },
    /// One crop if both sides are small; otherwise square crops of two thirds of the shorter side, within bounds.
    /// Google's guide to image understanding; the size of crops is from the guide of Vertex AI.
    Crops {
        /// Tokens of each crop.
        crop: u32,
    },
}

impl ImageCost {
    /// GPT-4o, GPT-4.1 and GPT-4.5.
    pub const GPT_4O: Self = Self::Tiles { base: 85, tile: 170 };
    /// GPT-4o mini.
    pub const GPT_4O_MINI: Self = Self::Tiles { base: 2833, tile: 5667 };
    /// GPT-5.
    pub const GPT_5: Self = Self::Tiles { base: 70, tile: 140 };
    /// o1, o1-pro and o3.
    pub const O3: Self = Self::Tiles { base: 75, tile: 150 };
    /// GPT-4.1 mini and, as documented, GPT-5 mini; users report 120 tokens for 100 patches of the latter.
    pub const GPT_4_1_MINI: Self =
        Self::Patches { side: 32, max_patches: 1536, tokens_per_100: 162 };
    /// GPT-4.1 nano and, as documented, GPT-5 nano; users report 150 tokens for 100 patches of the latter.
    pub const GPT_4_1_NANO: Self =
        Self::Patches { side: 32, max_patches: 1536, tokens_per_100: 246 };
    /// o4-mini.
    pub const O4_MINI: Self = Self::Patches { side: 32, max_patches: 1536, tokens_per_100: 172 };
    /// Claude 3 to 4.6. Later models accept larger images.
    pub const CLAUDE: Self = Self::Area { pixels_per_token: 750, max_side: 1568, max_tokens: 1600 };
    /// Gemini 2 and 2.5.
    pub const GEMINI: Self = Self::Crops { crop: 258 };

    /// Tokens of an image of unknown size: counted as 1024 × 1024 pixels, a common size. Constant time.
    pub fn tokens_of_unknown_size(self) -> u32 {
        self.tokens(1024, 1024)
    }

    /// Tokens of an image of `width` × `height` pixels; either may be 0. Constant time.
    pub fn tokens(self, width: u32, height: u32) -> u32 {
        match self {
            Self::Tiles { base, tile } => {
                base.saturating_add(tile.saturating_mul(tiles(width, height)))
            }
            Self::Patches { side, max_patches, tokens_per_100 } => {
                let patches = u64::from(patches(width, height, side.max(1), max_patches));
                saturated((patches * u64::from(tokens_per_100)).div_ceil(100))
            }
            Self::Area { pixels_per_token, max_side, max_tokens } => {
                let longer = f64::from(width.max(height).max(1));
                let scale = (f64::from(max_side) / longer).min(1.0);
                let area = f64::from(width) * f64::from(height) * scale * scale;
                (area / f64::from(pixels_per_token.max(1))).ceil().min(f64::from(max_tokens)) as u32
            }
            Self::Crops { crop } => crop.saturating_mul(crops(width, height)),
        }
    }
}

/// Sides of an image before it is cut into tiles, and of a tile, in pixels.
const MAX_SIDE: f64 = 2048.0;
const MAX_SHORTER_SIDE: f64 = 768.0;
const TILE: f64 = 512.0;

fn tiles(width: u32, height: u32) -> u32 {
    let (width, height) = (f64::from(width), f64::from(height));
    let fit = (MAX_SIDE / width.max(height).max(1.0)).min(1.0);
    let shrink = (MAX_SHORTER_SIDE / (width.min(height) * fit).max(1.0)).min(1.0);
    // Rounded to whole pixels first: a floating-point error must not add a tile to a side of exactly n tiles.
    let along = |side: f64| ((side * fit * shrink).round() / TILE).ceil() as u32;
    along(width).saturating_mul(along(height))
}

fn patches(width: u32, height: u32, side: u32, max_patches: u32) -> u32 {
    let count = u64::from(width.div_ceil(side)) * u64::from(height.div_ceil(side));
    if count <= u64::from(max_patches) {
        return saturated(count);
    }
    let (side, width, height) = (f64::from(side), f64::from(width), f64::from(height));
    let scale = side * (f64::from(max_patches) / (width * height)).sqrt();
    // Scaled down further until one side is a whole number of patches, as OpenAI does, so that rounding up the
    // sides does not exceed the limit.
    let whole = |length: f64| (length * scale / side).floor() / (length * scale / side);
    let scale = scale * whole(width).min(whole(height));
    let along = |length: f64| ((length * scale).round() / side).ceil();
    ((along(width) * along(height)) as u32).min(max_patches)
}

/// An image is a single crop if neither side is longer, in pixels.
const SINGLE_CROP_SIDE: u32 = 384;
/// The side of a crop, in pixels.
const CROP_SIDES: std::ops::RangeInclusive<u32> = 256..=768;

fn crops(width: u32, height: u32) -> u32 {
    if width.max(height) <= SINGLE_CROP_SIDE {
        return 1;
    }
    let side = (width.min(height) / 3).saturating_mul(2) + width.min(height) % 3 * 2 / 3;
    let side = side.clamp(*CROP_SIDES.start(), *CROP_SIDES.end());
    width.div_ceil(side).max(1).saturating_mul(height.div_ceil(side).max(1))
}

fn saturated(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_providers_guides_are_matched() {
        let known = [
            (ImageCost::GPT_4O, 1024, 1024, 765),
            (ImageCost::GPT_4O, 2048, 4096, 1105),
            (ImageCost::GPT_4O, 128, 64, 255),
            (ImageCost::GPT_5, 1024, 1024, 630),
            (
                ImageCost::Patches { side: 32, max_patches: 1536, tokens_per_100: 100 },
                1024,
                1024,
                1024,
            ),
            (
                ImageCost::Patches { side: 32, max_patches: 1536, tokens_per_100: 100 },
                1800,
                2400,
                1452,
            ),
            (ImageCost::CLAUDE, 200, 200, 54),
            (ImageCost::CLAUDE, 1000, 1000, 1334),
            (ImageCost::CLAUDE, 1092, 1092, 1590),
            (ImageCost::GEMINI, 384, 384, 258),
            (ImageCost::GEMINI, 960, 540, 6 * 258),
        ];
        for (cost, width, height, tokens) in known {
            assert_eq!(cost.tokens(width, height), tokens, "{cost:?} {width} × {height}");
        }
    }

    #[test]
    fn no_image_exceeds_the_largest_cost() {
        for (cost, max_tokens) in [
            (ImageCost::GPT_4O, 85 + 8 * 170),
            (ImageCost::GPT_4_1_MINI, 2489),
            (ImageCost::CLAUDE, 1600),
        ] {
            for size in
                [(1 << 12, 1 << 12), (1 << 14, 1 << 10), (u32::MAX, u32::MAX), (u32::MAX, 1)]
            {
                assert!(cost.tokens(size.0, size.1) <= max_tokens, "{cost:?} {size:?}");
            }
        }
    }

    #[test]
    fn extreme_sizes_and_formulas_do_not_panic() {
        let extreme = [
            ImageCost::Patches { side: 0, max_patches: 0, tokens_per_100: u32::MAX },
            ImageCost::Area { pixels_per_token: 0, max_side: 0, max_tokens: 0 },
            ImageCost::Tiles { base: u32::MAX, tile: u32::MAX },
            ImageCost::GEMINI,
        ];
        for cost in extreme {
            for (width, height) in [(0, 0), (0, 1), (1, u32::MAX), (u32::MAX, u32::MAX)] {
                cost.tokens(width, height);
            }
        }
        assert_eq!(ImageCost::GPT_4O.tokens(0, 0), 85);
    }
}
