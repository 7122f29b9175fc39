// What the page uses of the chat app's code for the model that Chrome has built in.

import { answerBuiltIn, checkBuiltIn, isBuiltIn } from "../www/src/chrome.ts";

export { checkBuiltIn, isBuiltIn };

/** Begins an answer to messages, given as JSON. `next` resolves to its next piece, and to undefined at its end. */
export function beginAnswer(messages, signal) {
  const pieces = answerBuiltIn(JSON.parse(messages), signal);
  return { next: async () => (await pieces.next()).value };
}
