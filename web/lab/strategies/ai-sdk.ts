// `pruneMessages` of the AI SDK, which removes old calls of tools and their results.

import { type ModelMessage, pruneMessages } from "ai";
import type { Message } from "../requests.js";
import { argumentsOf, callsOf, stateless, textOf, withoutInstructions } from "../strategy.js";
import { t } from "../../language.js";

/** The settings of the example in its documentation. */
const SETTINGS = { reasoning: "before-last-message", toolCalls: "before-last-2-messages", emptyMessages: "remove" } as const;

export const prune = stateless(
  "AI SDK, pruneMessages",
  t("With the settings of the example in its documentation, on the whole conversation before each request. It knows no window."),
  async (messages) => {
    const [instructions, others] = withoutInstructions(messages);
    const pruned = pruneMessages({ messages: modelMessages(others), ...SETTINGS });
    return [...instructions, ...pruned.flatMap((message) => left(message, others))];
  },
);

/** Which message it was made of; results of tools that follow each other are one message of the AI SDK. */
function numbered(index: number) {
  return { providerOptions: { lab: { index } } };
}

function modelMessages(messages: readonly Message[]): ModelMessage[] {
  const names = new Map<string, string>();
  const written: ModelMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const last = written.at(-1);
    if (message.role === "tool") {
      const toolCallId = message.tool_call_id;
      const toolName = names.get(toolCallId) ?? "unknown";
      const result = { type: "tool-result" as const, toolCallId, toolName, output: { type: "text" as const, value: textOf(message) } };
      if (last?.role === "tool") {
        last.content.push(result);
      } else {
        written.push({ role: "tool", content: [result], ...numbered(index) });
      }
    } else if (message.role === "assistant") {
      const text = textOf(message);
      const calls = callsOf(message).map((call) => {
        names.set(call.id, call.function.name);
        return { type: "tool-call" as const, toolCallId: call.id, toolName: call.function.name, input: argumentsOf(call) };
      });
      const content = [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls];
      written.push({ role: "assistant", content, ...numbered(index) });
    } else {
      written.push({ role: "user", content: textOf(message), ...numbered(index) });
    }
  }
  return written;
}

/** What is left of the messages that a message of the AI SDK was made of. */
function left({ content, providerOptions }: ModelMessage, messages: readonly Message[]): Message[] {
  const index = Number(providerOptions?.["lab"]?.["index"]);
  const source = messages[index];
  if (source === undefined || typeof content === "string") {
    return source === undefined ? [] : [source];
  }
  const ids = new Set(content.map((part) => ("toolCallId" in part ? part.toolCallId : undefined)));
  if (source.role === "assistant") {
    const calls = callsOf(source);
    const kept = calls.filter(({ id }) => ids.has(id));
    if (kept.length === calls.length) {
      return [source];
    }
    const { tool_calls: _, ...others } = source as Message & { tool_calls?: unknown };
    return [{ ...others, ...(kept.length > 0 && { tool_calls: kept }) } as Message];
  }
  const end = messages.findIndex(({ role }, at) => at >= index && role !== "tool");
  const results = messages.slice(index, end < 0 ? messages.length : end);
  return results.filter((message) => message.role === "tool" && ids.has(message.tool_call_id));
}
