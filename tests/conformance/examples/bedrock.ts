// The story in Bedrock's Converse, and messages that its checks refuse.

import type { Message } from "@aws-sdk/client-bedrock-runtime";
import type { Examples } from "../check.js";
import { altered, instead, story, type Turn, without } from "./story.js";

function valid(turns: number): Message[] {
  return story(turns).flatMap(written);
}

function written({ ask, picture, rounds, answer }: Turn): Message[] {
  const between = rounds.flatMap(({ reasoning, calls }): Message[] => [
    {
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: reasoning, signature: `signed ${reasoning}` } } },
        ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input: { ...input } } })),
      ],
    },
    {
      role: "user",
      content: calls.map(({ id, result }) => ({
        toolResult: { toolUseId: id, content: [{ text: result }], status: "success" as const },
      })),
    },
  ]);
  const shown =
    picture === undefined
      ? []
      : [{ image: { format: "png" as const, source: { bytes: new Uint8Array(Buffer.from(picture, "base64")) } } }];
  return [{ role: "user", content: [{ text: ask }, ...shown] }, ...between, { role: "assistant", content: [{ text: answer }] }];
}

// 0 and 1 a turn, 2 the question, 3 two calls, 4 their results, 5 a call, 6 its result, 7 the answer.
const base = valid(3);
const result = { toolResult: { toolUseId: "history_1", content: [{ text: "dry" }] } };
const use = { toolUse: { toolUseId: "history_1", name: "history", input: {} } };

export const examples: Examples<Message> = {
  valid,
  broken: {
    nothing: [],
    "an assistant that comes first": base.slice(1),
    "two of one role in a row": instead(base, 0, base[0], base[0]),
    "a result whose call was removed": instead(base, 5, { role: "assistant", content: [{ text: "I look." }] }),
    "a call without its result": altered(base, 6, { content: [{ text: "Well?" }] }),
    "a parallel call without its result": altered(base, 4, { content: base[4]?.content?.slice(1) }),
    "a call at the very end": base.slice(0, 6),
    "a result twice": altered(base, 6, { content: [result, result] }),
    "two calls under one id": altered(base, 5, { content: [use, use] }),
    "a call and its result cut away": without(base, 5),
    "content that is a text": altered(base, 7, { content: "Done." }),
    "an empty message": altered(base, 7, { content: [] }),
    "a blank text": altered(base, 7, { content: [{ text: " " }] }),
    "a block of two members": altered(base, 7, { content: [{ text: "Done.", cachePoint: { type: "default" } }] }),
    "a block of another provider": altered(base, 7, { content: [{ type: "text", text: "Done." }] }),
    "a field that the SDK drops": altered(base, 5, { content: [{ toolUse: { ...use.toolUse, signature: "a" } }] }),
    "input that is not an object": altered(base, 5, { content: [{ toolUse: { ...use.toolUse, input: "{}" } }] }),
    "reasoning from a user": altered(base, 2, { content: [{ reasoningContent: { reasoningText: { text: "Hm." } } }] }),
    "a call from a user": altered(base, 2, { content: [use] }),
    "a system message inside": instead(base, 0, { role: "system", content: [{ text: "Water." }] }, base[0]),
    "half a surrogate pair": altered(base, 7, { content: [{ text: "It grows \ud83c" }] }),
  },
};
