// The story in Anthropic's Messages, and messages that its checks refuse.

import type Anthropic from "@anthropic-ai/sdk";
import type { Examples } from "../check.js";
import { altered, instead, story, type Turn, without } from "./story.js";

type Message = Anthropic.MessageParam;

function valid(turns: number): Message[] {
  return story(turns).flatMap(written);
}

function written({ ask, picture, rounds, answer }: Turn): Message[] {
  const between = rounds.flatMap(({ reasoning, calls }): Message[] => [
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: reasoning, signature: `signed ${reasoning}` },
        { type: "text", text: "I look." },
        ...calls.map(({ id, name, input }) => ({ type: "tool_use" as const, id, name, input })),
      ],
    },
    {
      role: "user",
      content: calls.map(({ id, result }) => ({
        type: "tool_result" as const,
        tool_use_id: id,
        content: [{ type: "text" as const, text: result }],
      })),
    },
  ]);
  const shown = (data: string) => [
    { type: "image" as const, source: { type: "base64" as const, media_type: "image/png" as const, data } },
    { type: "text" as const, text: ask },
  ];
  return [
    { role: "user", content: picture === undefined ? ask : shown(picture) },
    ...between,
    { role: "assistant", content: [{ type: "text", text: answer }] },
  ];
}

// 0 and 1 a turn, 2 the question, 3 thinking, text and two calls, 4 their results, 5 a call, 6 its result, 7 the answer.
const base = valid(3);
const [result] = base[6]?.content as Anthropic.ToolResultBlockParam[];
const results = base[4]?.content as Anthropic.ToolResultBlockParam[];
const thinking = { type: "thinking", thinking: "Look.", signature: "signed" };
const text = { type: "text", text: "Look:" };
const use = { type: "tool_use", id: "history_1", name: "history", input: {} };

export const examples: Examples<Message> = {
  valid,
  broken: {
    nothing: [],
    "an assistant that comes first": base.slice(1),
    "a result whose call was removed": without(base, 5),
    "a call without its result": without(base, 6),
    "a parallel call without its result": altered(base, 4, { content: results.slice(1) }),
    "a call at the very end": base.slice(0, 6),
    "a result behind a text": altered(base, 6, { content: [text, result] }),
    "a text between results": altered(base, 4, { content: [results[0], text, results[1]] }),
    "a result behind a user's message": instead(base, 6, { role: "user", content: "Well?" }, base[6]),
    "a result twice": altered(base, 6, { content: [result, result] }),
    "two calls under one id": altered(base, 5, { content: [use, use] }),
    "a call from a user": altered(base, 2, { content: [use] }),
    "a result from an assistant": altered(base, 7, { content: [result] }),
    "input that is not an object": altered(base, 5, { content: [{ ...use, input: "{}" }] }),
    "an id of other signs": instead(altered(base, 5, { content: [{ ...use, id: "a b" }] }), 6, {
      role: "user",
      content: [{ ...result, tool_use_id: "a b" }],
    }),
    "an empty text": altered(base, 7, { content: [{ type: "text", text: "" }] }),
    "a blank text next to a call": altered(base, 5, { content: [{ type: "text", text: "\n" }, use] }),
    "an empty message": altered(base, 7, { content: [] }),
    "thinking without its signature": altered(base, 5, { content: [{ ...thinking, signature: "" }, use] }),
    "nothing but thinking": altered(base, 7, { content: [thinking] }),
    "thinking at the end": altered(base, 7, { content: [text, thinking] }),
    "an answer of the server's own tool that it was not asked": altered(base, 7, {
      content: [{ type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }],
    }),
    "an empty compaction": instead(base, 0, base[0], { role: "assistant", content: [{ type: "compaction", content: "" }] }),
    "a compaction that is not the first": altered(base, 7, { content: [text, { type: "compaction", content: "All is well." }] }),
    "a block of another provider": altered(base, 7, { content: [{ type: "output_text", text: "Done." }] }),
    "an unknown role": altered(base, 7, { role: "model" }),
    "half a surrogate pair": altered(base, 7, { content: "It grows \ud83c" }),
  },
};
