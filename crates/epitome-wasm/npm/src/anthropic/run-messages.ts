// Anthropic's SDK: a turn with its tool loop.

import type Anthropic from "@anthropic-ai/sdk";
import { runAnyTurn } from "../api/any-turn.js";
import type { AnyCompactor } from "../host/given.js";
import type { TurnOptions, TurnResponse, TurnResult } from "../host/turn.js";

/** A message of the conversation, as the SDK has it. */
type MessageParam = Anthropic.MessageParam;
/** The fields of a request besides its messages. */
type Body = Omit<Anthropic.MessageCreateParamsNonStreaming, "messages" | "stream">;

/** Options of a turn besides its request. */
export interface MessagesLoopOptions extends Omit<TurnOptions<MessageParam>, "request" | "tools"> {
  /** Runs a tool that the model calls, and resolves to the content of its result. Without it, a turn ends with the first answer. */
  execute?: (call: Anthropic.ToolUseBlock) => NonNullable<Anthropic.ToolResultBlockParam["content"]> | Promise<NonNullable<Anthropic.ToolResultBlockParam["content"]>>;
  /** Takes each part of an answer as it is written: the request streams then. */
  onText?: (text: string) => void;
}

/** The answer of one request. */
export interface MessagesAnswer extends TurnResponse<MessageParam> {
  response: Anthropic.Message;
}

/**
 * Runs a turn: requests, answers and tool calls, compacted before each request and after an overflow. The user message is
 * appended already. `body` are the fields of the request besides its messages.
 */
export function runMessages(
  anthropic: Anthropic,
  compactor: AnyCompactor<MessageParam>,
  body: Body,
  { execute, onText, ...options }: MessagesLoopOptions = {},
): Promise<TurnResult<MessagesAnswer>> {
  return runAnyTurn<MessageParam, MessagesAnswer>(compactor, {
    ...options,
    request: async (messages, { signal }) => {
      const how = signal === undefined ? {} : { signal };
      const response =
        onText === undefined
          ? await anthropic.messages.create({ ...body, messages }, how)
          : await anthropic.messages
              .stream({ ...body, messages }, how)
              .on("text", (delta) => onText(delta))
              .finalMessage();
      return { messages: { role: "assistant", content: response.content as MessageParam["content"] }, usage: response.usage, response };
    },
    tools: async ({ response: { content } }) => {
      const calls = content.filter((block): block is Anthropic.ToolUseBlock => block.type === "tool_use");
      if (execute === undefined || calls.length === 0) {
        return undefined;
      }
      const results = calls.map(async (call) => ({ type: "tool_result" as const, tool_use_id: call.id, content: await execute(call) }));
      return [{ role: "user", content: await Promise.all(results) }];
    },
  });
}
