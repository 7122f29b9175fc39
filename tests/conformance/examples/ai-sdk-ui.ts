// The story in the AI SDK's UIMessages, and messages that its checks refuse.

import type { UIMessage } from "ai";
import type { Examples } from "../check.js";
import { altered, instead, story, type Turn } from "./story.js";

function valid(turns: number): UIMessage[] {
  return story(turns).flatMap(written);
}

function written({ ask, picture, rounds, answer }: Turn, turn: number): UIMessage[] {
  const between = rounds.flatMap(({ reasoning, calls }): UIMessage["parts"] => [
    { type: "step-start" },
    { type: "reasoning", text: reasoning, state: "done" },
    ...calls.map(({ id, name, input, result }) => ({
      type: `tool-${name}` as const,
      toolCallId: id,
      state: "output-available" as const,
      input,
      output: { text: result },
      ...approved(id, name),
    })),
  ]);
  const shown =
    picture === undefined ? [] : [{ type: "file" as const, mediaType: "image/png", url: `data:image/png;base64,${picture}` }];
  return [
    { id: `u${turn}`, role: "user", parts: [{ type: "text", text: ask }, ...shown] },
    {
      id: `a${turn}`,
      role: "assistant",
      parts: [...between, { type: "step-start" }, { type: "text", text: answer, state: "done" }],
      metadata: { turn },
    },
  ];
}

/** Some calls are only made once a person has approved of them. */
const approved = (id: string, name: string) =>
  name === "history" ? { approval: { id: `may_${id}`, approved: true as const } } : {};

// 0 and 1 a turn, 2 the question, 3 all that the assistant does about it, 4 and 5 a turn.
const base = valid(3);
const tool = { type: "tool-history", toolCallId: "history_1", state: "output-available", input: {}, output: "dry" };
const done = { type: "text", text: "Done." };

export const examples: Examples<UIMessage> = {
  valid,
  broken: {
    nothing: [],
    "a call without its output": altered(base, 3, {
      parts: [{ ...tool, state: "input-available", output: undefined }, { type: "step-start" }, done],
    }),
    "an approval without an output": altered(base, 3, {
      parts: [
        { ...tool, state: "approval-responded", output: undefined, approval: { id: "a", approved: true } },
        { type: "step-start" },
        done,
      ],
    }),
    "a state that is not one": altered(base, 3, { parts: [{ ...tool, state: "result" }, done] }),
    "an output without its id": altered(base, 3, { parts: [{ ...tool, toolCallId: undefined }, done] }),
    "two calls under one id": altered(base, 3, { parts: [tool, tool, done] }),
    "a text that is not one": altered(base, 3, { parts: [{ type: "text", text: null }] }),
    "a blank text": altered(base, 5, { parts: [{ type: "text", text: " " }] }),
    "a user that says nothing": altered(base, 2, { parts: [{ type: "data-note", data: {} }] }),
    "nothing but reasoning": altered(base, 3, { parts: [{ type: "reasoning", text: "Hm." }] }),
    "content instead of parts": instead(base, 5, { id: "a2", role: "assistant", content: "Done." }),
    "no id": altered(base, 5, { id: undefined }),
    "an id twice": altered(base, 5, { id: "a1" }),
    "a system message inside": instead(
      base,
      2,
      { id: "s", role: "system", parts: [{ type: "text", text: "A summary." }] },
      base[2],
    ),
    "a role of another format": altered(base, 5, { role: "tool" }),
    "half a surrogate pair": altered(base, 5, { parts: [{ type: "text", text: "It grows \ud83c" }] }),
  },
};
