//! What a picture costs, by its pixels and its provider's formula.
//!
//! Nothing is decoded; whoever read the message says how large a picture is. Formulas are data, so that a host can
//! take that of a model that is not named here from its provider's pages.

/// How a provider counts an image.
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
    /// The image is made to fit into 2048 × 2048 pixels and its shorter side at most 768, and then cut into tiles of
    /// 512 × 512. OpenAI's guide to vision, "Calculating costs", at detail `high`; at detail `low`, and for images
    /// without a tile, it is the base alone.
    Tiles {
        /// Tokens of any image.
        base: u32,
        /// Tokens of each tile.
        tile: u32,
    },
    /// The image is cut into square patches, and scaled down before that where there were too many. OpenAI's guide
    /// to vision, "Calculating costs".
    Patches {
        /// Pixels of a patch's side.
        side: u32,
        /// Patches that an image has at most.
        most: u32,
        /// Tokens for 100 patches.
        per_hundred: u32,
    },
    /// Pixels divided by a constant, after scaling down. Anthropic's guide to vision, "Evaluate image size": an
    /// approximation by its own words; later editions of it count patches of 28 × 28, 4 % fewer tokens.
    Area {
        /// Pixels of a token.
        pixels: u32,
        /// Pixels that the longer side has at most.
        longest_side: u32,
        /// Tokens that an image costs at most.
        most: u32,
    },
    /// One crop where both sides are small; else square crops of two thirds of the shorter side, within bounds.
    /// Google's guide to image understanding, and for the size of crops that of Vertex AI.
    Crops {
        /// Tokens of a crop.
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
    /// GPT-4.1 mini and, as documented, GPT-5 mini, for which less has been reported: 120 for 100 patches.
    pub const GPT_4_1_MINI: Self = Self::Patches { side: 32, most: 1536, per_hundred: 162 };
    /// GPT-4.1 nano and, as documented, GPT-5 nano, for which less has been reported: 150 for 100 patches.
    pub const GPT_4_1_NANO: Self = Self::Patches { side: 32, most: 1536, per_hundred: 246 };
    /// o4-mini.
    pub const O4_MINI: Self = Self::Patches { side: 32, most: 1536, per_hundred: 172 };
    /// Claude 3 to 4.6. Later ones take larger images.
    pub const CLAUDE: Self = Self::Area { pixels: 750, longest_side: 1568, most: 1600 };
    /// Gemini 2 and 2.5.
    pub const GEMINI: Self = Self::Crops { crop: 258 };

    /// Tokens of an image of unknown size: those of one of 1024 × 1024 pixels. Constant time.
    pub fn usual(self) -> u32 {
        self.tokens(1024, 1024)
    }

    /// Tokens of an image of so many pixels; one without pixels costs what an empty one does. Constant time.
    pub fn tokens(self, width: u32, height: u32) -> u32 {
        match self {
            Self::Tiles { base, tile } => {
                base.saturating_add(tile.saturating_mul(tiles(width, height)))
            }
            Self::Patches { side, most, per_hundred } => {
                let patches = u64::from(patches(width, height, side.max(1), most));
                saturated((patches * u64::from(per_hundred)).div_ceil(100))
            }
            Self::Area { pixels, longest_side, most } => {
                let longer = f64::from(width.max(height).max(1));
                let scale = (f64::from(longest_side) / longer).min(1.0);
                let area = f64::from(width) * f64::from(height) * scale * scale;
                (area / f64::from(pixels.max(1))).ceil().min(f64::from(most)) as u32
            }
            Self::Crops { crop } => crop.saturating_mul(crops(width, height)),
        }
    }
}

const SQUARE: f64 = 2048.0;
const SHORTER_SIDE: f64 = 768.0;
const TILE: f64 = 512.0;

fn tiles(width: u32, height: u32) -> u32 {
    let (width, height) = (f64::from(width), f64::from(height));
    let fit = (SQUARE / width.max(height).max(1.0)).min(1.0);
    let shrink = (SHORTER_SIDE / (width.min(height) * fit).max(1.0)).min(1.0);
    // A side of exactly so many tiles must not become one more by rounding.
    let along = |side: f64| ((side * fit * shrink).round() / TILE).ceil() as u32;
    along(width).saturating_mul(along(height))
}

fn patches(width: u32, height: u32, side: u32, most: u32) -> u32 {
    let count = u64::from(width.div_ceil(side)) * u64::from(height.div_ceil(side));
    if count <= u64::from(most) {
        return saturated(count);
    }
    let (side, width, height) = (f64::from(side), f64::from(width), f64::from(height));
    let scale = side * (f64::from(most) / (width * height)).sqrt();
    // The scale at which one side is a whole number of patches, and the other is no more than before.
    let whole = |length: f64| (length * scale / side).floor() / (length * scale / side);
    let scale = scale * whole(width).min(whole(height));
    let along = |length: f64| ((length * scale).round() / side).ceil();
    ((along(width) * along(height)) as u32).min(most)
}

/// Sides up to here make no more than one crop.
const SMALL: u32 = 384;
const CROP_SIDES: std::ops::RangeInclusive<u32> = 256..=768;

fn crops(width: u32, height: u32) -> u32 {
    if width.max(height) <= SMALL {
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
    fn the_examples_of_the_guides_come_out() {
        let known = [
            (ImageCost::GPT_4O, 1024, 1024, 765),
            (ImageCost::GPT_4O, 2048, 4096, 1105),
            (ImageCost::GPT_4O, 128, 64, 255),
            (ImageCost::GPT_5, 1024, 1024, 630),
            (ImageCost::Patches { side: 32, most: 1536, per_hundred: 100 }, 1024, 1024, 1024),
            (ImageCost::Patches { side: 32, most: 1536, per_hundred: 100 }, 1800, 2400, 1452),
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
    fn a_larger_image_costs_no_more_than_the_largest() {
        for (cost, most) in [
            (ImageCost::GPT_4O, 85 + 8 * 170),
            (ImageCost::GPT_4_1_MINI, 2489),
            (ImageCost::CLAUDE, 1600),
        ] {
            for size in
                [(1 << 12, 1 << 12), (1 << 14, 1 << 10), (u32::MAX, u32::MAX), (u32::MAX, 1)]
            {
                assert!(cost.tokens(size.0, size.1) <= most, "{cost:?} {size:?}");
            }
        }
    }

    #[test]
    fn sizes_that_no_image_has_are_counted_too() {
        let strange = [
            ImageCost::Patches { side: 0, most: 0, per_hundred: u32::MAX },
            ImageCost::Area { pixels: 0, longest_side: 0, most: 0 },
            ImageCost::Tiles { base: u32::MAX, tile: u32::MAX },
            ImageCost::GEMINI,
        ];
        for cost in strange {
            for (width, height) in [(0, 0), (0, 1), (1, u32::MAX), (u32::MAX, u32::MAX)] {
                cost.tokens(width, height);
            }
        }
        assert_eq!(ImageCost::GPT_4O.tokens(0, 0), 85);
    }
}
