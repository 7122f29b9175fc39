// The scripted model as a model of the AI SDK, and its tool.

import { tool } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { z } from "zod";
import { lookUp } from "./scripted-model.mjs";

/** The tool that the model calls. */
export const tools = {
  look: tool({
    description: "Reads a file.",
    inputSchema: z.object({ at: z.string() }),
    execute: ({ at }) => lookUp(at),
  }),
};

/** A message of a prompt as the scripted model takes it. */
export function neutral({ role, content }) {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const ofType = (type) => parts.filter((part) => part.type === type);
  return {
    role,
    text: ofType("text").map(({ text }) => text).join(""),
    calls: ofType("tool-call").map(({ toolCallId: id, toolName: name, input }) => ({ id, name, input })),
    results: ofType("tool-result").map(({ toolCallId: id, output }) => ({ id, text: String(output.value) })),
  };
}

/** The scripted model behind the interface of a provider. */
export function modelOf(script) {
  const answerTo = (prompt) => {
    const { text, calls, usage } = script.answer(prompt.map(neutral));
    const content = calls.map(({ id, name, input }) => ({ type: "tool-call", toolCallId: id, toolName: name, input: JSON.stringify(input) }));
    const reason = calls.length > 0 ? "tool-calls" : "stop";
    return {
      content: text === "" ? content : [{ type: "text", text }, ...content],
      finishReason: { unified: reason, raw: reason },
      usage: {
        inputTokens: { total: usage.prompt, noCache: usage.prompt, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: usage.completion, text: usage.completion, reasoning: 0 },
      },
    };
  };
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => ({ ...answerTo(prompt), warnings: [] }),
    doStream: async ({ prompt }) => {
      const { content, finishReason, usage } = answerTo(prompt);
      const chunks = content.flatMap((part) =>
        part.type === "text"
          ? [{ type: "text-start", id: "t" }, ...part.text.match(/.{1,40}/gs).map((delta) => ({ type: "text-delta", id: "t", delta })), { type: "text-end", id: "t" }]
          : [part],
      );
      const all = [{ type: "stream-start", warnings: [] }, ...chunks, { type: "finish", finishReason, usage }];
      return { stream: convertArrayToReadableStream(all) };
    },
  });
}
