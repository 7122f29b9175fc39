// The story in Gemini's contents, and messages that its checks refuse.

import type { Content } from "@google/genai";
import type { Examples } from "../check.js";
import { altered, instead, story, type Turn, without } from "./story.js";

function valid(turns: number): Content[] {
  return story(turns).flatMap(written);
}

function written({ ask, picture, rounds, answer }: Turn, turn: number): Content[] {
  const between = rounds.flatMap(({ reasoning, calls }): Content[] => [
    {
      role: "model",
      parts: calls.map(({ name, input }, index) => ({
        functionCall: { name, args: { ...input } },
        ...(index === 0 && { thoughtSignature: btoa(reasoning) }),
      })),
    },
    { role: "user", parts: calls.map(({ name, result }) => ({ functionResponse: { name, response: { output: result } } })) },
  ]);
  const shown = picture === undefined ? [] : [{ inlineData: { mimeType: "image/png", data: picture } }];
  return [
    { role: "user", parts: [{ text: ask }, ...shown] },
    ...between,
    { role: "model", parts: [{ text: answer, thoughtSignature: btoa(`turn ${turn}`) }] },
  ];
}

// 0 and 1 a turn, 2 the question, 3 two calls, 4 their responses, 5 a call, 6 its response, 7 the answer.
const base = valid(3);
const called = { functionCall: { name: "history", args: {} } };
const response = { functionResponse: { name: "history", response: { output: "dry" } } };

export const examples: Examples<Content> = {
  valid,
  broken: {
    nothing: [],
    "a model that comes first": base.slice(1),
    "a response whose call was removed": without(base, 5),
    "a call without its response": without(base, 6),
    "fewer responses than calls": altered(base, 4, { parts: base[4]?.parts?.slice(1) }),
    "more responses than calls": altered(base, 6, { parts: [response, response] }),
    "responses in another order than the calls": altered(base, 4, { parts: base[4]?.parts?.toReversed() }),
    "a response to another id": instead(altered(base, 5, { parts: [{ functionCall: { id: "a", name: "history" } }] }), 6, {
      role: "user",
      parts: [{ functionResponse: { id: "b", name: "history", response: {} } }],
    }),
    "a call at the very end": base.slice(0, 6),
    "a message between call and response": instead(
      base,
      5,
      base[5],
      { role: "user", parts: [{ text: "Well?" }] },
      { role: "model", parts: [{ text: "Wait." }] },
    ),
    "a call from a user": altered(base, 5, { role: "user" }),
    "a response from the model": altered(base, 6, { role: "model" }),
    "no parts": altered(base, 7, { parts: [] }),
    "parts that are a text": altered(base, 7, { parts: "Done." }),
    "an empty part": altered(base, 7, { parts: [{}] }),
    "a part with nothing but a signature": altered(base, 7, { parts: [{ thoughtSignature: "c2VhbGVk" }] }),
    "a part about two things": altered(base, 5, { parts: [{ text: "I look.", ...called }] }),
    "a field that the SDK drops": altered(base, 7, { parts: [{ text: "Done.", content: "Done." }] }),
    "a response that is a text": altered(base, 6, { parts: [{ functionResponse: { name: "history", response: "dry" } }] }),
    "an unknown role": altered(base, 7, { role: "assistant" }),
    "half a surrogate pair": altered(base, 7, { parts: [{ text: "It grows \ud83c" }] }),
  },
};
