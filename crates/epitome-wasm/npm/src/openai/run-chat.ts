// OpenAI's SDK: a turn with its tool loop, by chat completions or by responses.

import type OpenAI from "openai";
import { runAnyTurn } from "../api/any-turn.js";
import type { AnyCompactor } from "../host/given.js";
import type { TurnOptions, TurnResponse, TurnResult } from "../host/turn.js";

/** Options of a turn besides its request. */
export interface LoopOptions<M extends object, Call> extends Omit<TurnOptions<M>, "request" | "tools"> {
  /** Runs a tool that the model calls, and resolves to its result as text. Without it, a turn ends with the first answer. */
  execute?: (call: Call) => string | Promise<string>;
  /** Takes each part of an answer as it is written: the request streams then. */
  onText?: (text: string) => void;
}

/** A message of the conversation, as the SDK has it. */
type ChatMessage = OpenAI.Chat.ChatCompletionMessageParam;
/** A tool call of an answer, as the SDK has it. */
type ChatCall = OpenAI.Chat.ChatCompletionMessageToolCall;
/** The fields of a request besides its messages. */
type ChatBody = Omit<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, "messages" | "stream">;

/** The answer of one request. */
export interface ChatAnswer extends TurnResponse<ChatMessage> {
  messages: OpenAI.Chat.ChatCompletionMessage;
}

/**
 * Runs a turn by chat completions: requests, answers and tool calls, compacted before each request and after an overflow. The user
 * message is appended already. `body` are the fields of the request besides its messages.
 */
export function runChat(
  openai: OpenAI,
  compactor: AnyCompactor<ChatMessage>,
  body: ChatBody,
  { execute, onText, ...options }: LoopOptions<ChatMessage, ChatCall> = {},
): Promise<TurnResult<ChatAnswer>> {
  return runAnyTurn<ChatMessage, ChatAnswer>(compactor, {
    ...options,
    request: async (messages, { signal }) => {
      const how = signal === undefined ? {} : { signal };
      const { choices, usage } =
        onText === undefined
          ? await openai.chat.completions.create({ ...body, messages }, how)
          : await openai.chat.completions
              .stream({ ...body, messages, stream_options: { include_usage: true } }, how)
              .on("content", (delta) => onText(delta))
              .finalChatCompletion();
      const message = choices[0]?.message;
      if (message === undefined) {
        throw new Error("the answer has no choices");
      }
      return { messages: message, usage };
    },
    tools: async ({ messages: { tool_calls: calls = [] } }) =>
      execute === undefined
        ? undefined
        : Promise.all(calls.map(async (call) => ({ role: "tool" as const, tool_call_id: call.id, content: await execute(call) }))),
  });
}

/** An item of the conversation, as the SDK has it. */
type Item = OpenAI.Responses.ResponseInputItem;
/** A function call of an answer, as the SDK has it. */
type FunctionCall = OpenAI.Responses.ResponseFunctionToolCall;
/** The fields of a request besides its items. */
type ResponsesBody = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "input" | "stream" | "previous_response_id" | "conversation">;

/** The answer of one request. */
export interface ResponsesAnswer extends TurnResponse<Item> {
  response: OpenAI.Responses.Response;
}

/** The same by responses, whose items the compactor keeps: nothing has to be stored by the server. */
export function runResponses(
  openai: OpenAI,
  compactor: AnyCompactor<Item>,
  body: ResponsesBody,
  { execute, onText, ...options }: LoopOptions<Item, FunctionCall> = {},
): Promise<TurnResult<ResponsesAnswer>> {
  return runAnyTurn<Item, ResponsesAnswer>(compactor, {
    ...options,
    request: async (input, { signal }) => {
      const how = signal === undefined ? {} : { signal };
      const response =
        onText === undefined
          ? await openai.responses.create({ ...body, input }, how)
          : await openai.responses
              .stream({ ...body, input }, how)
              .on("response.output_text.delta", ({ delta }) => onText(delta))
              .finalResponse();
      return { messages: response.output as Item[], usage: response.usage, response };
    },
    tools: async ({ response: { output } }) =>
      execute === undefined
        ? undefined
        : Promise.all(
            output
              .filter((item): item is FunctionCall => item.type === "function_call")
              .map(async (call) => ({ type: "function_call_output" as const, call_id: call.call_id, output: await execute(call) })),
          ),
  });
}
