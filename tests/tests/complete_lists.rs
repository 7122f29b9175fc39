//! Lists that name every variant of an enum leave none out.

use epitome::Action;
use epitome_formats::Format;

/// Checks that `ALL` of an enum has each of these variants once. A variant that is missing here does not compile, since
/// the match has no wildcard; one that is missing in `ALL` fails.
macro_rules! assert_complete {
    ($enum:ty: $($variant:ident),+ $(,)?) => {{
        let variants = [$(<$enum>::$variant),+];
        for variant in &variants {
            match variant {
                $(<$enum>::$variant => {})+
            }
            let listed = <$enum>::ALL.iter().filter(|listed| *listed == variant).count();
            assert_eq!(listed, 1, "{variant:?} in {}::ALL", stringify!($enum));
        }
        assert_eq!(<$enum>::ALL.len(), variants.len(), "{}::ALL", stringify!($enum));
    }};
}

#[test]
fn every_message_format_is_listed() {
    assert_complete!(Format:
        OpenAiChat,
        OpenAiResponses,
        Anthropic,
        AiSdkUi,
        AiSdkModel,
        Gemini,
        LangChain,
        Bedrock,
    );
}

#[test]
fn every_action_of_a_plan_is_listed() {
    assert_complete!(Action:
        Keep,
        Deduplicate,
        TruncateToolResults,
        ClearToolInputs,
        ClearToolResults,
        OffloadToolResults,
        RemoveReasoning,
        Summarize,
        ExcerptLastRequest,
        DropOldest,
        Summarized,
    );
}
