// One check for each format, none of which shares a line with the library.

import { check as aiSdkModel } from "./ai-sdk-model.js";
import { check as aiSdkUi } from "./ai-sdk-ui.js";
import { check as anthropic } from "./anthropic.js";
import { check as bedrock } from "./bedrock.js";
import { check as gemini } from "./gemini.js";
import { check as langchain } from "./langchain.js";
import { check as openaiChat } from "./openai-chat.js";
import { check as openaiResponses } from "./openai-responses.js";
import type { Check } from "./verdict.js";

export const checks = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  "ai-sdk-ui": aiSdkUi,
  "ai-sdk-model": aiSdkModel,
  gemini,
  langchain,
  bedrock,
} as const satisfies Readonly<Record<string, Check>>;

/** The name of a format, as the library has it too. */
export type FormatName = keyof typeof checks;
