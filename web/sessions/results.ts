// Results of parallel calls, which Anthropic's messages have in one message of the user.

import { fieldsOf, listOf } from "./values.js";

/** A message of Anthropic's. */
export interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** The messages with results that follow each other in one message. */
export function withJoinedResults(messages: readonly Message[]): readonly Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last !== undefined && isOfResults(last) && isOfResults(message)) {
      joined[joined.length - 1] = { role: "user", content: [...listOf(last.content), ...listOf(message.content)] };
    } else {
      joined.push(message);
    }
  }
  return joined;
}

function isOfResults({ role, content }: Message): boolean {
  return role === "user" && listOf(content).length > 0 && listOf(content).every((block) => fieldsOf(block).type === "tool_result");
}
