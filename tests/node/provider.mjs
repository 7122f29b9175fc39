// What a Chat Completions server refuses, written without the engine's code.

/** The first reason to refuse these messages, or `undefined`. */
export function refusal(messages) {
  let open = [];
  for (const [index, { role, tool_call_id: answered, tool_calls: calls }] of messages.entries()) {
    if (role === "tool") {
      const place = open.indexOf(answered);
      if (place < 0) {
        return `message ${index} answers ${answered}, which no message calls`;
      }
      open.splice(place, 1);
      continue;
    }
    if (open.length > 0) {
      return `message ${index} comes before the answer to ${open[0]}`;
    }
    open = (calls ?? []).map(({ id }) => id);
  }
  return open.length > 0 ? `nothing answers ${open[0]}` : undefined;
}
