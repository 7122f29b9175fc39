// What a Chat Completions server refuses, written down apart from the engine.

/** The first reason to refuse these messages, or nothing. */
export function refusal(messages) {
  let open = [];
  for (const [index, { role, tool_call_id: answered, tool_calls: calls }] of messages.entries()) {
    if (role === "tool") {
      const place = open.indexOf(answered);
      if (place < 0) {
        return `message ${index} answers ${answered}, which nobody called`;
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
