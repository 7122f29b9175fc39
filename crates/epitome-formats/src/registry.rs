//! The one list of formats: their names, tokenizer families, contracts, usage fields and dialects.

use epitome::Contract;
use epitome::history::PartChange;
use epitome::message::{Message, MessageId};
use epitome::policy::Family;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conformance::Conformance;
use crate::dialect::Dialect;
use crate::dialects::ai_sdk::model::AiSdkModel;
use crate::dialects::ai_sdk::ui::AiSdkUi;
use crate::dialects::anthropic::Anthropic;
use crate::dialects::bedrock::Bedrock;
use crate::dialects::gemini::Gemini;
use crate::dialects::langchain::LangChain;
use crate::dialects::openai_chat::OpenAiChat;
use crate::dialects::openai_responses::OpenAiResponses;
use crate::edit_message::edit_message;
use crate::issue::Issue;
use crate::shape::ShapeError;
use crate::steps::is_step_id;
use crate::usage_fields::UsageFields;

/// Defines [`Format`] from one row per format, so that no list of formats can miss one.
macro_rules! formats {
    ($(
        $(#[doc = $doc:literal])+
        $format:ident {
            name: $name:literal,
            title: $title:literal,
            family: $family:ident,
            contract: $contract:expr,
            usage_fields: $usage_fields:expr,
            dialect: $dialect:expr,
        }
    )+) => {
        /// A message format that this crate reads and writes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
        pub enum Format {
            $(
                $(#[doc = $doc])+
                #[serde(rename = $name)]
                $format,
            )+
        }

        impl Format {
            /// Every format, in the order of the documentation.
            pub const ALL: [Self; [$(Self::$format),+].len()] = [$(Self::$format),+];

            /// The name of the format, as in JSON.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$format => $name,)+
                }
            }

            /// The name of the format, for people.
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$format => $title,)+
                }
            }

            /// The tokenizer family for estimates if the app names no model: that of the models which are
            /// mostly used through this format.
            pub fn family(self) -> Family {
                match self {
                    $(Self::$format => Family::$family,)+
                }
            }

            /// What the provider accepts.
            pub fn contract(self) -> Contract {
                match self {
                    $(Self::$format => $contract,)+
                }
            }

            /// Where the provider reports token counts.
            pub(crate) fn usage_fields(self) -> &'static UsageFields {
                match self {
                    $(Self::$format => $usage_fields,)+
                }
            }

            /// How the messages are read, written and edited.
            pub(crate) fn dialect(self) -> &'static dyn Dialect {
                match self {
                    $(Self::$format => $dialect,)+
                }
            }

            /// How the messages are validated, repaired, converted and detected.
            pub(crate) fn conformance(self) -> &'static dyn Conformance {
                match self {
                    $(Self::$format => $dialect,)+
                }
            }
        }
    };
}

formats! {
    /// OpenAI Chat Completions, and the many servers that are compatible with it.
    OpenAiChat {
        name: "openai-chat",
        title: "OpenAI Chat Completions",
        family: O200kBase,
        contract: OpenAiChat::CONTRACT,
        usage_fields: &OpenAiChat::USAGE_FIELDS,
        dialect: &OpenAiChat,
    }
    /// OpenAI Responses input items: each call, result, reasoning or message is an item.
    OpenAiResponses {
        name: "openai-responses",
        title: "OpenAI Responses",
        family: O200kBase,
        contract: OpenAiResponses::CONTRACT,
        usage_fields: &OpenAiResponses::USAGE_FIELDS,
        dialect: &OpenAiResponses,
    }
    /// Anthropic Messages.
    Anthropic {
        name: "anthropic",
        title: "Anthropic Messages",
        family: Claude,
        contract: Anthropic::CONTRACT,
        usage_fields: &Anthropic::USAGE_FIELDS,
        dialect: &Anthropic,
    }
    /// Vercel AI SDK `UIMessage`: what a chat page stores. A call and its result are one part.
    AiSdkUi {
        name: "ai-sdk-ui",
        title: "AI SDK UIMessage",
        family: O200kBase,
        contract: AiSdkUi::CONTRACT,
        usage_fields: &AiSdkUi::USAGE_FIELDS,
        dialect: &AiSdkUi,
    }
    /// Vercel AI SDK `ModelMessage`: what is sent to a model.
    AiSdkModel {
        name: "ai-sdk-model",
        title: "AI SDK ModelMessage",
        family: O200kBase,
        contract: AiSdkModel::CONTRACT,
        usage_fields: &AiSdkModel::USAGE_FIELDS,
        dialect: &AiSdkModel,
    }
    /// Gemini `Content`: messages of user and model, each with a list of parts.
    Gemini {
        name: "gemini",
        title: "Gemini Content",
        family: Gemini,
        contract: Gemini::CONTRACT,
        usage_fields: &Gemini::USAGE_FIELDS,
        dialect: &Gemini,
    }
    /// LangChain messages, in both serialized forms and as plain objects.
    LangChain {
        name: "langchain",
        title: "LangChain messages",
        family: O200kBase,
        contract: LangChain::CONTRACT,
        usage_fields: &LangChain::USAGE_FIELDS,
        dialect: &LangChain::Constructor,
    }
    /// Amazon Bedrock Converse messages.
    Bedrock {
        name: "bedrock",
        title: "Bedrock Converse",
        family: Claude,
        contract: Bedrock::CONTRACT,
        usage_fields: &Bedrock::USAGE_FIELDS,
        dialect: &Bedrock,
    }
}

/// The engine's messages for one message, and what is wrong with the original.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The steps of the message, at least one. Each is a message to the engine. The first has the id of the
    /// whole message; the others have that id with `#1`, `#2`, … appended.
    pub messages: Vec<Message>,
    /// What is malformed or unknown. The original is not changed for it.
    pub issues: Vec<Issue>,
}

impl Format {
    /// The format with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }

    /// Reads one message. A malformed one is read too, and its issues are listed. Fails if the value is not
    /// a message at all, or if `id` ends in `#` and a number, which is how the ids of steps end. Linear in the
    /// size of the message.
    pub fn read(self, id: &MessageId, value: &Value) -> Result<Reading, ShapeError> {
        if is_step_id(id) {
            let problem = format!("the id {id:?} ends in # and a number, as the engine's own do");
            return Err(ShapeError { problem });
        }
        let content = self.dialect().read(value)?;
        Ok(Reading { messages: content.messages(id), issues: content.issues })
    }

    /// The message with these changes to parts of its first step. Everything else stays as it is. Linear in
    /// the size of the message.
    pub fn rewrite(self, original: &Value, changes: &[PartChange]) -> Value {
        edit_message(self.dialect(), original, None, &[(0, changes)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::ContentPart;
    use crate::dialect::Turn;
    use epitome::message::{Part, Role};

    impl Format {
        /// A message of these parts, as [`Format::compose`] writes one that the engine inserts.
        pub(crate) fn write(self, role: Role, parts: &[Part]) -> Value {
            let parts = parts.iter().map(ContentPart::of).collect();
            let written =
                self.dialect().write(&Turn { role, author: None, parts }, &mut Vec::new());
            written.into_iter().next().unwrap_or(Value::Null)
        }
    }

    #[test]
    fn every_format_has_the_name_that_it_is_found_by() {
        for format in Format::ALL {
            assert_eq!(Format::named(format.as_str()), Some(format));
            assert_eq!(serde_json::to_value(format).unwrap(), format.as_str());
        }
        assert_eq!(Format::named("morse"), None);
    }
}
