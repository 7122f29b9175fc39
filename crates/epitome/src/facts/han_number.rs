//! Finds numbers that are written in Chinese characters.

/// Calls `each` for the dates, times and amounts in a text in Chinese or Japanese that have no digits, in order: `三月五日`,
/// `两点半`, `五百元`. A number without a unit is none: most are parts of words. Linear.
pub(super) fn for_each<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    let mut characters = text.char_indices().peekable();
    while let Some((start, first)) = characters.next() {
        if !is_numeral(first) {
            continue;
        }
        let (mut end, mut units, mut at) = (start, 0, first);
        let mut own = start + first.len_utf8();
        while let Some(&(offset, character)) = characters.peek() {
            let is_unit = UNITS.contains(character) && is_numeral(at);
            // `三点半` and `三点二十分`
            let is_half = character == '半' && matches!(at, '点' | '點' | '时' | '時');
            let is_minutes = character == '分' && is_numeral(at) && units > 0;
            if !is_unit && !is_half && !is_minutes && !is_numeral(character) {
                break;
            }
            characters.next();
            own = offset + character.len_utf8();
            if is_unit || is_half || is_minutes {
                (end, units) = (own, units + 1);
            }
            at = character;
        }
        let number = text.get(start..end).unwrap_or_default();
        // `一点` is a little, `一时` a moment, `一块` together.
        let is_word =
            matches!(number, "一点" | "一點" | "一时" | "一時" | "一块" | "一日" | "一层");
        let is_longer = text.get(own..).is_some_and(|rest| rest.starts_with(['线', '線']));
        // `token` has read the digits together with what stands behind them.
        let has_digits =
            text.get(..start).is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()));
        if units > 0 && !is_word && !is_longer && !has_digits {
            each(number);
        }
    }
}

/// A number in Chinese characters with digits in place of them: `3月5日` for `三月五日`. `None` if it has none.
pub(super) fn in_digits(number: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = number;
    let mut changes = false;
    while !rest.is_empty() {
        let length = rest.find(|c| !is_numeral(c)).unwrap_or(rest.len());
        let (run, behind) = rest.split_at_checked(length)?;
        if !run.is_empty() {
            out.push_str(&value(run)?.to_string());
            changes = true;
        }
        let next = behind.find(is_numeral).unwrap_or(behind.len());
        let (plain, after) = behind.split_at_checked(next)?;
        out.push_str(plain);
        rest = after;
    }
    changes.then_some(out)
}

/// What a number may count, or be a date or a time of.
const UNITS: &str = "年月日号號点點时時元块円圆圓岁歳歲楼樓階层";

/// Digits in their order; the last one is another word for two.
const DIGITS: [char; 12] = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九', '零', '两'];

/// True for a digit and for a power of ten.
pub(super) fn is_numeral(character: char) -> bool {
    DIGITS.contains(&character) || matches!(character, '十' | '百' | '千' | '万' | '萬')
}

fn value(run: &str) -> Option<u64> {
    // Of `二十三万五千`: what is before `万`, what is before the power of ten that was read last, and the digits behind it.
    let (mut high, mut sum, mut digits) = (0_u64, 0_u64, None::<u64>);
    for character in run.chars() {
        let power = match character {
            '十' => 10,
            '百' => 100,
            '千' => 1_000,
            '万' | '萬' => {
                high = high
                    .checked_add(sum + digits.take().unwrap_or_default())?
                    .checked_mul(10_000)?;
                sum = 0;
                continue;
            }
            digit => {
                let place = DIGITS.iter().position(|own| *own == digit)?;
                let digit = match place {
                    10 => 0,
                    11 => 2,
                    place => place as u64,
                };
                digits = Some(digits.unwrap_or_default().checked_mul(10)?.checked_add(digit)?);
                continue;
            }
        };
        sum = sum.checked_add(digits.take().unwrap_or(1).checked_mul(power)?)?;
    }
    high.checked_add(sum)?.checked_add(digits.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        for_each(text, |number| found.push(number));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn d10_dates_times_and_amounts_in_chinese_characters_are_found() {
        check("三月五日下午两点半到，一共五百二十元。", &["三月五日", "两点半", "五百二十元"]);
        check(
            "二〇二四年十二月，三点二十分，住三楼。",
            &["二〇二四年十二月", "三点二十分", "三楼"],
        );
        check("十一月三日に一泊五万円です。", &["十一月三日", "五万円"]);
        check("我们一起走，等一点，十分好，一时，万一，二号线，一块去。", &[]);
        check("5月三日", &["三日"]);
        check("一百二十块，一百日，一点半", &["一百二十块", "一百日", "一点半"]);
    }

    #[test]
    fn d10_a_number_in_chinese_characters_has_the_same_in_digits() {
        for (number, digits) in [
            ("三月五日", "3月5日"),
            ("二〇二四年十二月", "2024年12月"),
            ("五百二十元", "520元"),
            ("二十三万五千円", "235000円"),
            ("两点半", "2点半"),
            ("一百零五元", "105元"),
        ] {
            assert_eq!(in_digits(number).as_deref(), Some(digits), "{number}");
        }
        assert_eq!(in_digits("3月5日"), None);
        assert_eq!(in_digits(&"九".repeat(40)), None, "too large");
    }
}
