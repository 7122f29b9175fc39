// What is sent to the model: the view of who answers, in the roles of the API.

import type { ChatMessage } from "./answer.js";

/**
 * The messages of a view as a request for an answer of this agent; without a name, of the model of the page. Only its own answers
 * are those of the assistant. What others have said comes with their names. System messages, among them the agent's role, come first.
 */
export function requestOf(view: readonly ChatMessage[], name: string | undefined): ChatMessage[] {
  const systems = view.filter(({ role }) => role === "system");
  const others = view.filter(({ role }) => role !== "system");
  return [...systems, ...others].map(({ role, content, name: author }) =>
    role === "assistant" && author !== name ? { role: "user", content: `${author ?? "Model"}: ${content}` } : { role, content },
  );
}
