// Recorded conversations of Chat Completions and of Anthropic, written in formats that have no long recordings.

import type { ContentBlock, Message, ToolResultContentBlock } from "@aws-sdk/client-bedrock-runtime";
import type Anthropic from "@anthropic-ai/sdk";
import { type BaseMessage, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { convertMessagesToResponsesInput } from "@langchain/openai";
import type OpenAI from "openai";
import { sent } from "./check.js";

type Chat = OpenAI.Chat.ChatCompletionMessageParam;

/** As LangChain serializes it. */
export function asLangChain(messages: readonly Chat[]): object[] {
  return sent(messages.map(read)) as object[];
}

/** As LangChain sends it to the Responses API. */
export function asResponses(messages: readonly Chat[]): object[] {
  return sent(convertMessagesToResponsesInput({ messages: messages.map(read), zdrEnabled: true, model: "gpt-4o" })) as object[];
}

/** LangChain has no messages without content, only with empty content. */
function read(message: Chat): BaseMessage {
  const { role, content, ...rest } = message;
  return coerceMessageLikeToMessage({ ...rest, role, content: content ?? "" } as Parameters<
    typeof coerceMessageLikeToMessage
  >[0]);
}

/** As Converse has it, turn by turn. */
export function asBedrock(messages: readonly Anthropic.MessageParam[]): Message[] {
  return messages.map(({ role, content }) => ({
    role: role as "user" | "assistant",
    content: typeof content === "string" ? [{ text: content }] : content.map(block),
  }));
}

function block(block: Anthropic.ContentBlockParam): ContentBlock {
  switch (block.type) {
    case "text":
      return { text: block.text };
    case "tool_use":
      return { toolUse: { toolUseId: block.id, name: block.name, input: block.input as { [key: string]: string } } };
    case "tool_result": {
      const said =
        typeof block.content === "string" ? [{ text: block.content }] : (block.content as ToolResultContentBlock[] | undefined);
      return {
        toolResult: { toolUseId: block.tool_use_id, content: said ?? [], status: block.is_error === true ? "error" : "success" },
      };
    }
    default:
      throw new Error(`a block of the kind ${block.type} cannot be written`);
  }
}
