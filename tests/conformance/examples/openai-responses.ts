// The story in OpenAI's Responses, and messages that its checks refuse.

import type OpenAI from "openai";
import type { Examples } from "../check.js";
import { altered, instead, story, SYSTEM, type Turn, without } from "./story.js";

type Item = OpenAI.Responses.ResponseInputItem;

function valid(turns: number): Item[] {
  return [{ role: "developer", content: SYSTEM }, ...story(turns).flatMap(written)];
}

function written({ ask, picture, rounds, answer }: Turn, turn: number): Item[] {
  const between = rounds.flatMap(({ reasoning, calls }, round): Item[] => [
    {
      type: "reasoning",
      id: `rs_${turn}_${round}`,
      summary: [{ type: "summary_text", text: reasoning }],
      encrypted_content: `opaque ${reasoning}`,
    },
    ...calls.map(({ id, name, input }): Item => ({
      type: "function_call",
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: JSON.stringify(input),
      status: "completed",
    })),
    ...calls.map(({ id, result }): Item => ({ type: "function_call_output", call_id: id, output: result })),
  ]);
  const shown =
    picture === undefined
      ? []
      : [{ type: "input_image" as const, detail: "auto" as const, image_url: `data:image/png;base64,${picture}` }];
  return [
    { type: "message", role: "user", content: [{ type: "input_text", text: ask }, ...shown] },
    ...between,
    {
      type: "message",
      id: `msg_${turn}`,
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: answer, annotations: [] }],
    },
  ];
}

// 0 developer, 1 and 2 a turn, 3 the question, 4 reasoning, 5 and 6 calls, 7 and 8 outputs, 9 reasoning, 10 a call,
// 11 its output, 12 the answer.
const base = valid(3);

export const examples: Examples<Item> = {
  valid,
  broken: {
    nothing: [],
    "only a developer's message": base.slice(0, 1),
    "an output whose call was removed": without(base, 10),
    "a call without its output": without(base, 11),
    "a parallel call without its output": without(base, 8),
    "an output before its call": instead(instead(base, 10, base[11]), 11, base[10]),
    "an output twice": instead(base, 11, base[11], base[11]),
    "reasoning without the item it led to": without(base, 10, 11, 12),
    "reasoning at the very end": base.slice(0, 10),
    "an output of another kind": altered(base, 11, { type: "custom_tool_call_output" }),
    "an item of an unknown kind": altered(base, 11, { type: "tool_result" }),
    "arguments that are not a string": altered(base, 10, { arguments: { bed: 1 } }),
    "an id of another kind": altered(base, 10, { id: "msg_12" }),
    "an id twice": altered(base, 12, { id: "msg_0" }),
    "an assistant's text as input": altered(base, 12, { content: [{ type: "input_text", text: "Done." }] }),
    "a user's text as output": altered(base, 3, { content: [{ type: "output_text", text: "Well?", annotations: [] }] }),
    "a text of another format": altered(base, 3, { content: [{ type: "text", text: "Well?" }] }),
    "an unknown role": altered(base, 3, { role: "tool" }),
    "a trigger that is not the last": instead(base, 12, { type: "compaction_trigger" }, base[12]),
    "an empty compaction": instead(base, 1, { type: "compaction", encrypted_content: "" }, base[1]),
    "half a surrogate pair": altered(base, 11, { output: "\ude80 up" }),
  },
};
