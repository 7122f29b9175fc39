// Session files of coding agents and exports of traces: which one a text is, and the request whose messages it has.

import { claudeCode } from "./claude-code.js";
import { codex } from "./codex.js";
import { langfuse } from "./langfuse.js";
import { opencode } from "./opencode.js";
import { pi } from "./pi.js";
import { fieldsOf, type Fields, listOf } from "./values.js";

/** The body of a request, with the name of its conversation. */
export interface Session {
  readonly id: string;
  readonly instructions?: string;
  readonly messages?: readonly object[];
  readonly input?: readonly object[];
}

/** The conversations of a text; undefined if it is none of these files, or has no messages. */
export function sessionsIn(text: string): readonly Session[] | undefined {
  const { entries, document } = parsed(text);
  const found = document === undefined ? [claudeCode(entries), codex(entries), pi(entries)] : [opencode(document), langfuse(document)];
  const sessions = found.filter((session) => session !== undefined);
  const whole = sessions.filter(({ messages, input }) => listOf(messages ?? input).length > 0);
  return whole.length > 0 ? whole : undefined;
}

/** A text as one document, or as entries of a line each. The last line of a session that goes on may be cut off. */
function parsed(text: string): { entries: readonly Fields[]; document?: unknown } {
  const whole = parsedOrNot(text);
  if (whole !== undefined) {
    return { entries: [], document: whole };
  }
  return { entries: text.split("\n").map((line) => fieldsOf(parsedOrNot(line))) };
}

function parsedOrNot(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
