// The type of message that each format has, without any SDK: an SDK's own messages are assignable to these, and these to them.

import type { Format } from "../glue/epitome.js";

/**
 * What a field contains that each SDK, and each version of it, declares in its own way. It has to go both ways, which only
 * `any` does. The fields around it say which format a message has.
 */
type Opaque = any;

/** A message of OpenAI's Chat Completions. */
export type OpenAIChatMessage =
  | { role: "developer" | "system" | "user"; content: Opaque; name?: string }
  | { role: "assistant"; content?: Opaque; name?: string; refusal?: string | null; tool_calls?: Opaque; audio?: Opaque }
  | { role: "tool"; content: Opaque; tool_call_id: string }
  | { role: "function"; content: string | null; name: string };

/** A message of Anthropic's Messages. */
export interface AnthropicMessage {
  role: Opaque;
  content: Opaque;
}

/** A message of the AI SDK's pages. */
export interface AiSdkUiMessage {
  id: string;
  role: "system" | "user" | "assistant";
  parts: Opaque[];
  metadata?: Opaque;
}

/** A message of the AI SDK for models. */
export type AiSdkModelMessage =
  | { role: "system"; content: string; providerOptions?: Opaque }
  | { role: "user" | "assistant"; content: Opaque; providerOptions?: Opaque }
  | { role: "tool"; content: Opaque; providerOptions?: Opaque };

/** A content of Gemini. */
export interface GeminiContent {
  role?: string;
  parts?: Opaque[];
}

/** A message of Amazon Bedrock's Converse. */
export interface BedrockMessage {
  role: Opaque;
  content: Opaque;
}

/** The type of message of each format. */
export interface FormatMessages {
  "openai-chat": OpenAIChatMessage;
  /** Items of some thirty kinds, to which each version of the SDK adds others: name your type as the type argument. */
  "openai-responses": Opaque;
  anthropic: AnthropicMessage;
  "ai-sdk-ui": AiSdkUiMessage;
  "ai-sdk-model": AiSdkModelMessage;
  gemini: GeminiContent;
  /** Instances of LangChain's classes, or either of their serialized forms: name yours as the type argument. */
  langchain: Opaque;
  bedrock: BedrockMessage;
}

/** The type of message of a format. Any SDK's own type may be given as type argument in its place. */
export type MessageOf<F extends Format> = FormatMessages[F];

/** Any message. It is an object; that formats are named too makes the role of a literal be its own type and not a string. */
export type AnyMessage = object | MessageOf<"openai-chat" | "ai-sdk-ui" | "ai-sdk-model">;

/** The formats that messages of this type may have: one, if the type has a field that only messages of that format have. */
export type FormatOf<M> = string extends FieldOf<M>
  ? Format
  : "lc_namespace" extends FieldOf<M>
    ? "langchain"
    : "call_id" extends FieldOf<M>
      ? "openai-responses"
      : "tool_call_id" extends FieldOf<M>
        ? "openai-chat"
        : "parts" extends FieldOf<M>
          ? "id" extends FieldOf<M>
            ? "ai-sdk-ui"
            : "gemini"
          : FormatOfParts<PartFieldOf<M>>;

/** The same by the fields of parts. */
type FormatOfParts<Fields> = string extends Fields
  ? Format
  : "tool_use_id" extends Fields
    ? "anthropic"
    : "toolCallId" extends Fields
      ? "ai-sdk-model"
      : "toolResult" extends Fields
        ? "bedrock"
        : Format;

/** The fields of all members of a union. */
type FieldOf<U> = U extends unknown ? keyof U : never;

/** The fields of the parts that a message's content may have. */
type PartFieldOf<M> = M extends { content?: infer C } ? (C extends readonly (infer P)[] ? FieldOf<P> : never) : never;
