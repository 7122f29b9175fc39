// The story in LangChain's messages as they are serialized, and messages that its checks refuse.

import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { type Examples, sent } from "../check.js";
import { altered, instead, story, SYSTEM, type Turn, without } from "./story.js";

function written({ ask, picture, rounds, answer }: Turn): BaseMessage[] {
  const between = rounds.flatMap(({ calls }) => [
    new AIMessage({
      content: "",
      tool_calls: calls.map(({ id, name, input }) => ({ id, name, args: { ...input }, type: "tool_call" })),
    }),
    ...calls.map(({ id, name, result }) => new ToolMessage({ content: result, tool_call_id: id, name, status: "success" })),
  ]);
  const shown = (data: string) => [
    { type: "text", text: ask },
    { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
  ];
  return [
    new HumanMessage(picture === undefined ? ask : { content: shown(picture) }),
    ...between,
    new AIMessage({ content: [{ type: "text", text: answer }], response_metadata: { model: "garden" } }),
  ];
}

/** The story in the classes that a LangChain app works with. */
export function instances(turns: number): BaseMessage[] {
  return [new SystemMessage(SYSTEM), ...story(turns).flatMap(written)];
}

/** The story in the form in which a chat history stores it. */
export function stored(turns: number): object[] {
  return sent(mapChatMessagesToStoredMessages(instances(turns))) as object[];
}

/** The story in the form that `JSON.stringify` makes of it. */
function valid(turns: number): object[] {
  return sent(instances(turns)) as object[];
}

// 0 system, 1 and 2 a turn, 3 the question, 4 two calls, 5 and 6 their results, 7 a call, 8 its result, 9 the answer.
const base = valid(3);
const kept = stored(3);
const kwargs = (fields: object) => ({ kwargs: fields });
const user = sent(new HumanMessage("And?"));

export const examples: Examples<object> = {
  valid,
  broken: {
    nothing: [],
    "only a system message": base.slice(0, 1),
    "a result whose call was removed": without(base, 4),
    "a stored result whose call was removed": without(kept, 4),
    "a call without its result": without(base, 8),
    "a stored call without its result": without(kept, 8),
    "a parallel call without its result": without(base, 6),
    "a call at the very end": base.slice(0, 8),
    "a message between results": instead(base, 5, base[5], user),
    "a result twice": instead(base, 8, base[8], base[8]),
    "a result without an id": altered(base, 8, kwargs({ content: "dry" })),
    "a stored result without an id": altered(kept, 8, { data: { content: "dry" } }),
    "two calls under one id": altered(
      base,
      7,
      kwargs({ content: "", tool_calls: ["a", "a"].map((id) => ({ id, name: "history", args: {} })) }),
    ),
    "a call without an id": altered(base, 7, kwargs({ content: "", tool_calls: [{ name: "history", args: {} }] })),
    "arguments that are not an object": altered(
      base,
      7,
      kwargs({ content: "", tool_calls: [{ id: "history_1", name: "history", args: "{}" }] }),
    ),
    "an assistant that says nothing": altered(base, 9, kwargs({ content: "" })),
    "a class that LangChain does not know": altered(base, 9, { id: ["langchain_core", "messages", "Summary"] }),
    "a type that LangChain does not know": altered(kept, 9, { type: "assistant" }),
    "a shape that LangChain does not know": instead(base, 9, { speaker: "ai", content: "Done." }),
    "half a surrogate pair": altered(base, 9, kwargs({ content: "It grows \ud83c" })),
  },
};
