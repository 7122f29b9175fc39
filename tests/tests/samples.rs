//! The samples of the page, compacted with the summarizer that quotes: what it writes was said.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop"
)]

use epitome::{Outcome, Policy, Reason};
use epitome_formats::{Format, Strictness, validate};
use epitome_tests::App;
use serde_json::Value;

#[test]
fn d10_summaries_of_the_samples_have_nothing_that_no_message_has() {
    let samples = [
        ("support", include_str!("../../web/public/samples/support.json"), 8_000),
        ("coding", include_str!("../../web/public/samples/coding.json"), 12_000),
        ("trip", include_str!("../../web/public/samples/trip.json"), 10_000),
        ("long", include_str!("../../web/public/samples/long-session.json"), 128_000),
        ("pictures", include_str!("../../web/public/samples/pictures.json"), 18_000),
    ];
    for (name, sample, window) in samples {
        let messages: Vec<Value> = serde_json::from_str(sample).unwrap();
        let format = if name == "pictures" { Format::Anthropic } else { Format::OpenAiChat };
        assert_eq!(validate(&messages, format, Strictness::Provider), [], "{name}");
        let mut app = App::new(format, Policy::recommended(window)).unwrap();
        for message in messages {
            app.append(message).unwrap();
        }
        let report = app.compact(Reason::Manual).unwrap().unwrap();
        assert!(matches!(report.outcome, Outcome::Applied { .. }), "{name}: {:?}", report.outcome);
        let receipt = report.receipt;
        assert_eq!((receipt.unsupported, receipt.unattributed), (vec![], vec![]), "{name}");
    }
}
