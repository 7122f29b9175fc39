// The story in the format of OpenAI's Chat Completions, and messages that the checks of this format refuse.

import type OpenAI from "openai";
import type { Examples } from "../check.js";
import { altered, instead, story, SYSTEM, type Turn, without } from "./story.js";

type Message = OpenAI.Chat.ChatCompletionMessageParam;

function valid(turns: number): Message[] {
  return [{ role: "system", content: SYSTEM }, ...story(turns).flatMap(written)];
}

function written({ ask, picture, rounds, answer }: Turn): Message[] {
  const between = rounds.flatMap(({ calls }): Message[] => [
    {
      role: "assistant",
      content: null,
      tool_calls: calls.map(({ id, name, input }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(input) },
      })),
    },
    ...calls.map(({ id, result }): Message => ({ role: "tool", tool_call_id: id, content: result })),
  ]);
  const shown =
    picture === undefined ? [] : [{ type: "image_url" as const, image_url: { url: `data:image/png;base64,${picture}` } }];
  return [{ role: "user", content: [{ type: "text", text: ask }, ...shown] }, ...between, { role: "assistant", content: answer }];
}

// The indices: 0 system, 1 and 2 a turn, 3 the question, 4 two calls, 5 and 6 their results, 7 a call, 8 its result, 9 the answer.
const base = valid(3);
const call = (fields: object) => [
  { id: "history_1", type: "function", function: { name: "history", arguments: "{}" }, ...fields },
];
const user = { role: "user", content: "And?" };

export const examples: Examples<Message> = {
  valid,
  broken: {
    nothing: [],
    "only system messages": base.slice(0, 1),
    "a result whose call was removed": without(base, 4),
    "a call without its result": without(base, 8),
    "a parallel call without its result": without(base, 6),
    "a call at the very end": base.slice(0, 8),
    "a message between results": instead(base, 5, base[5], user),
    "a message between call and result": instead(base, 7, base[7], user),
    "a result before its call": instead(instead(base, 7, base[8]), 8, base[7]),
    "a result twice": instead(base, 8, base[8], base[8]),
    "two calls under one id": altered(base, 7, { tool_calls: [...call({}), ...call({})] }),
    "an empty id": instead(altered(base, 8, { tool_call_id: "" }), 7, { ...base[7], tool_calls: call({ id: "" }) }),
    "a result without an id": altered(base, 8, { tool_call_id: undefined }),
    "a result that is an object": altered(base, 8, { content: { ok: true } }),
    "arguments that are not a string": altered(base, 7, { tool_calls: call({ function: { name: "history", arguments: null } }) }),
    "a name that no function has": altered(base, 7, { tool_calls: call({ function: { name: "the history", arguments: "{}" } }) }),
    "an empty list of calls": altered(base, 9, { tool_calls: [] }),
    "an assistant that says nothing": altered(base, 9, { content: null }),
    "an empty list of parts": altered(base, 3, { content: [] }),
    "a part of another provider": altered(base, 9, { content: [{ type: "tool_use", id: "a", name: "b", input: {} }] }),
    "an image from an assistant": altered(base, 9, {
      content: [{ type: "image_url", image_url: { url: "https://garden.example/a.png" } }],
    }),
    "an unknown role": altered(base, 9, { role: "Assistant" }),
    "half a surrogate pair": altered(base, 9, { content: "It grows \ud83c" }),
  },
};
