// Reads session files of coding agents and exports of traces, by code that is fetched only for one.

/** The conversations in a text, each as the body of a request, in an array; undefined if it is no such file. */
export async function sessionsIn(text) {
  const { sessionsIn: read } = await import("./sessions/read.ts");
  return read(text);
}
