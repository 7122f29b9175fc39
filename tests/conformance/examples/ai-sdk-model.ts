// The story in the AI SDK's ModelMessages, and messages that its checks refuse.

import type { ModelMessage } from "ai";
import type { Examples } from "../check.js";
import { altered, type Call, instead, story, SYSTEM, type Turn, without } from "./story.js";

function valid(turns: number): ModelMessage[] {
  return [{ role: "system", content: SYSTEM }, ...story(turns).flatMap(written)];
}

function written({ ask, picture, rounds, answer }: Turn): ModelMessage[] {
  const between = rounds.flatMap(({ reasoning, calls }): ModelMessage[] => [
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: reasoning },
        ...calls.map(({ id, name, input }) => ({
          type: "tool-call" as const,
          toolCallId: id,
          toolName: name,
          input: { ...input },
        })),
        ...calls
          .filter(asks)
          .map(({ id }) => ({ type: "tool-approval-request" as const, approvalId: `may_${id}`, toolCallId: id })),
      ],
    },
    {
      role: "tool",
      content: [
        ...calls
          .filter(asks)
          .map(({ id }) => ({ type: "tool-approval-response" as const, approvalId: `may_${id}`, approved: true })),
        ...calls.map(({ id, name, result }) => ({
          type: "tool-result" as const,
          toolCallId: id,
          toolName: name,
          output: { type: "text" as const, value: result },
        })),
      ],
    },
  ]);
  const shown =
    picture === undefined ? [] : [new Uint8Array(Buffer.from(picture, "base64")), new URL("https://garden.example/bed.png")];
  return [
    {
      role: "user",
      content: [{ type: "text", text: ask }, ...shown.map((data) => ({ type: "file" as const, mediaType: "image/png", data }))],
    },
    ...between,
    { role: "assistant", content: answer },
  ];
}

/** Some calls are only made once a person has approved of them. */
const asks = ({ name }: Call) => name === "history";

// 0 system, 1 and 2 a turn, 3 the question, 4 two calls, 5 their results, 6 a call, 7 its result, 8 the answer.
const base = valid(3);
const results = base[5]?.content as unknown[];
const use = { type: "tool-call", toolCallId: "history_1", toolName: "history", input: {} };
const result = { type: "tool-result", toolCallId: "history_1", toolName: "history", output: { type: "text", value: "dry" } };

export const examples: Examples<ModelMessage> = {
  valid,
  broken: {
    nothing: [],
    "only a system message": base.slice(0, 1),
    "a system message inside": instead(base, 3, { role: "system", content: "A summary." }, base[3]),
    "a result whose call was removed": without(base, 6),
    "a call without its result": without(base, 7),
    "a parallel call without its result": altered(base, 5, { content: results.slice(1) }),
    "a call at the very end": base.slice(0, 7),
    "a message between call and result": instead(base, 6, base[6], { role: "user", content: "Well?" }),
    "an answer between call and result": instead(base, 6, base[6], { role: "assistant", content: "Wait." }),
    "a result twice": altered(base, 7, { content: [result, result] }),
    "two calls under one id": altered(base, 6, { content: [use, use] }),
    "an empty message": altered(base, 8, { content: [] }),
    "a blank text": altered(base, 8, { content: " " }),
    "nothing but reasoning": altered(base, 8, { content: [{ type: "reasoning", text: "Hm." }] }),
    "a result of an older version": altered(base, 7, {
      content: [{ type: "tool-result", toolCallId: "history_1", toolName: "history", result: "dry" }],
    }),
    "a result from a user": altered(base, 3, { content: [result] }),
    "an unsolicited approval response": altered(base, 7, {
      content: [result, { type: "tool-approval-response", approvalId: "a", approved: true }],
    }),
    "an approval of no call": altered(base, 8, {
      content: [
        { type: "text", text: "May I?" },
        { type: "tool-approval-request", approvalId: "a", toolCallId: "none" },
      ],
    }),
    "a part of another format": altered(base, 8, { content: [{ type: "tool_use", id: "a", name: "b", input: {} }] }),
    "an unknown role": altered(base, 8, { role: "model" }),
    "half a surrogate pair": altered(base, 8, { content: "It grows \ud83c" }),
  },
};
