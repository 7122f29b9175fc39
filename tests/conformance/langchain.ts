// What LangChain refuses to read, and what OpenAI would refuse in the request that LangChain makes.

import { load } from "@langchain/core/load";
import {
  AIMessage,
  type BaseMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  isBaseMessage,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
} from "@langchain/core/messages";
import { convertMessagesToCompletionsMessageParams } from "@langchain/openai";
import { check as checkChat } from "./openai-chat.js";
import { type CheckOptions, type Fields, fieldsOf } from "./check.js";

export async function check(messages: readonly unknown[], { strict = false }: CheckOptions = {}): Promise<string[]> {
  const read: BaseMessage[] = [];
  const reasons: string[] = [];
  for (const [index, message] of messages.entries()) {
    try {
      read.push(await restored(message));
    } catch (error) {
      reasons.push(`messages[${index}] is not read back: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (reasons.length > 0) {
    return reasons;
  }
  try {
    return [
      ...read.flatMap(own),
      ...(await checkChat(convertMessagesToCompletionsMessageParams({ messages: read }), { strict })),
    ];
  } catch (error) {
    return [`LangChain does not convert them: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** The message as an instance, from any of the forms in which an app stores it. */
async function restored(message: unknown): Promise<BaseMessage> {
  const fields: Fields = fieldsOf(message);
  if (isBaseMessage(message)) {
    return message;
  }
  if (fields["lc"] === 1) {
    const loaded = await load(JSON.stringify(message));
    if (isBaseMessage(loaded)) {
      return loaded;
    }
    throw new Error("it is not a message");
  }
  if (fields["data"] !== undefined) {
    const [stored] = mapStoredMessagesToChatMessages([message as StoredMessage]);
    return stored as BaseMessage;
  }
  return coerceMessageLikeToMessage(message as BaseMessageLike);
}

/** What LangChain reads, but its models cannot use. */
function own(message: BaseMessage, index: number): string[] {
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  return calls.flatMap(({ id, args }) => [
    ...(id === undefined || id === "" ? [`messages[${index}] calls without an id`] : []),
    ...(typeof args === "object" && args !== null && !Array.isArray(args)
      ? []
      : [`messages[${index}] calls with arguments that are not an object`]),
  ]);
}
