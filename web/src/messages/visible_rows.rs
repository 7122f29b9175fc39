//! Which rows of a long list are visible.

/// Height of a row in pixels, as in the style sheet.
pub(super) const ROW_HEIGHT: usize = 56;
/// Rows that Page Up and Page Down move by.
pub(super) const PAGE: usize = 10;
/// Maximum height of the list in pixels, as in the style sheet.
const LIST_HEIGHT: usize = 960;
/// Rows above and below the visible ones, so that scrolling shows no gaps.
const MARGIN: usize = 6;

/// A list with its scroll position in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub(super) total: usize,
    pub(super) scrolled: i32,
}

impl Rows {
    /// The rows to have on the page: the visible ones, some around them, and the one with the focus.
    pub(super) fn visible(self, active: usize) -> Vec<usize> {
        let first = self.first();
        let start = first.saturating_sub(MARGIN);
        let end = (first + LIST_HEIGHT / ROW_HEIGHT + MARGIN).min(self.total);
        let active = (active < self.total && !(start..end).contains(&active)).then_some(active);
        let before = active.filter(|active| *active < start);
        let after = active.filter(|active| *active >= end);
        before.into_iter().chain(start..end).chain(after).collect()
    }

    /// The scroll position that shows a row; `None` if it is visible already.
    pub(super) fn reveal(self, row: usize) -> Option<i32> {
        let first = self.first();
        if row > first && row < first + PAGE / 2 {
            return None;
        }
        let top = if row <= first { row } else { row.saturating_sub(PAGE / 2 - 1) };
        i32::try_from(top.saturating_mul(ROW_HEIGHT)).ok()
    }

    fn first(self) -> usize {
        usize::try_from(self.scrolled).unwrap_or_default() / ROW_HEIGHT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_few_of_many_rows_are_on_the_page() {
        let rows = Rows { total: 100_000, scrolled: 56 * 50_000 };
        let visible = rows.visible(3);
        assert!(visible.len() < 40, "{}", visible.len());
        assert_eq!(visible.first(), Some(&3), "the row with the focus stays");
        assert!(visible.contains(&50_000));
    }

    #[test]
    fn all_rows_of_a_short_list_are_on_the_page() {
        let rows = Rows { total: 3, scrolled: 0 };
        assert_eq!(rows.visible(0), [0, 1, 2]);
        assert_eq!(Rows { total: 0, scrolled: 0 }.visible(0), [0_usize; 0]);
    }

    #[test]
    fn a_hidden_row_is_scrolled_to() {
        let rows = Rows { total: 1_000, scrolled: 560 };
        assert_eq!(rows.reveal(12), None);
        assert_eq!(rows.reveal(5), Some(280));
        assert_eq!(rows.reveal(100), Some(96 * 56));
    }
}
