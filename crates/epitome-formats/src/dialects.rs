//! The formats, one file or folder each.

pub(crate) mod ai_sdk;
pub(crate) mod anthropic;
pub(crate) mod bedrock;
mod block_roles;
pub(crate) mod gemini;
pub(crate) mod langchain;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;
