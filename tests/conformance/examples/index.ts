// The same conversation in each format, and broken variants of it that the checks must refuse.

import type { FormatName } from "../index.js";
import type { Examples } from "../check.js";
import { examples as aiSdkModel } from "./ai-sdk-model.js";
import { examples as aiSdkUi } from "./ai-sdk-ui.js";
import { examples as anthropic } from "./anthropic.js";
import { examples as bedrock } from "./bedrock.js";
import { examples as gemini } from "./gemini.js";
import { examples as langchain } from "./langchain.js";
import { examples as openaiChat } from "./openai-chat.js";
import { examples as openaiResponses } from "./openai-responses.js";

export const examples: { readonly [F in FormatName]: Examples<object> } = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  "ai-sdk-ui": aiSdkUi,
  "ai-sdk-model": aiSdkModel,
  gemini,
  langchain,
  bedrock,
};
