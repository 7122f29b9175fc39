// Reads server-sent events: the data of each event as it arrives.

export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = done ? "" : (lines.pop() ?? "");
      for (const line of lines) {
        if (line.startsWith("data:")) {
          yield line.slice("data:".length).trim();
        }
      }
      if (done) {
        return;
      }
    }
  } finally {
    // A caller that stops iterating closes the connection.
    await reader.cancel().catch(() => undefined);
  }
}
