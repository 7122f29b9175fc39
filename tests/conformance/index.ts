// One check for each format. None of them uses the library's code.

import { check as aiSdkModel } from "./ai-sdk-model.js";
import { check as aiSdkUi } from "./ai-sdk-ui.js";
import { check as anthropic } from "./anthropic.js";
import { check as bedrock } from "./bedrock.js";
import { check as gemini } from "./gemini.js";
import { check as langchain } from "./langchain.js";
import { check as openaiChat } from "./openai-chat.js";
import { check as openaiResponses } from "./openai-responses.js";
import type { Check } from "./check.js";

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

/** The name of a format, as in the library. */
export type FormatName = keyof typeof checks;
