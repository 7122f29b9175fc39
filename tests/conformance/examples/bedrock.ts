// The story in Bedrock's Converse, and what is refused there.

import type { Message } from "@aws-sdk/client-bedrock-runtime";
import type { Examples } from "../verdict.js";
import { altered, instead, story, type Turn, without } from "./story.js";

function tidy(turns: number): Message[] {
  return story(turns).flatMap(told);
}

function told({ ask, picture, rounds, answer }: Turn): Message[] {
  const between = rounds.flatMap(({ thought, calls }): Message[] => [
    {
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: thought, signature: `signed ${thought}` } } },
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
const base = tidy(3);
const result = { toolResult: { toolUseId: "history_1", content: [{ text: "dry" }] } };
const use = { toolUse: { toolUseId: "history_1", name: "history", input: {} } };

export const examples: Examples<Message> = {
  tidy,
  broken: {
    nothing: [],
    "an assistant that speaks first": base.slice(1),
    "two of one role in a row": instead(base, 0, base[0], base[0]),
    "a result whose call was cut away": instead(base, 5, { role: "assistant", content: [{ text: "I look." }] }),
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
    "input that is no object": altered(base, 5, { content: [{ toolUse: { ...use.toolUse, input: "{}" } }] }),
    "reasoning from a user": altered(base, 2, { content: [{ reasoningContent: { reasoningText: { text: "Hm." } } }] }),
    "a call from a user": altered(base, 2, { content: [use] }),
    "a system message inside": instead(base, 0, { role: "system", content: [{ text: "Water." }] }, base[0]),
    "half a character": altered(base, 7, { content: [{ text: "It grows \ud83c" }] }),
  },
};
