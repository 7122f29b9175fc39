// The messages of a request that is not only the view.

import type { RecallOptions } from "../recall/recall.js";
import type { Agent, Compactor } from "./compactor.js";
import type { Awaitable } from "./given.js";
import { isEqual } from "./same.js";

/** Whether a request gets what has left the view and its latest turn speaks of, as `messagesWithRecall` does; or how much of it. */
export type WithRecall = boolean | RecallOptions;

/** What a request gets besides the view. */
export interface RequestOptions {
  /** Has each request end with what has left the view and its latest turn speaks of, as `messagesWithRecall` does: `true`, or how
   * much of it. Default: `false`. */
  recall?: WithRecall;
}

type Sender<M extends object> = Awaitable<Pick<Compactor<M> | Agent<object, M>, "messages" | "messagesWithRecall" | "setRequestContext">>;

/** The view, with what comes back. */
export async function withRecall<M extends object>(compactor: Sender<M>, recall: WithRecall | undefined): Promise<M[]> {
  return recall === undefined || recall === false ? compactor.messages() : compactor.messagesWithRecall(recall === true ? {} : recall);
}

/** The same as the messages of a request, which are counted. `note` gets what they have besides the view, and what they leave out of
 * it. */
export async function messagesOfRequest<M extends object>(
  compactor: Sender<M>,
  recall: WithRecall | undefined,
  note: (added: readonly M[], leftOut: readonly M[]) => void = () => undefined,
): Promise<M[]> {
  const view = await compactor.messages();
  const sent = await withRecall(compactor, recall);
  // Without recall, what the app has said of its requests stays.
  if (recall !== undefined && recall !== false) {
    const { added: others, leftOut } = contextOf(view, sent);
    // A message that a compactor in a worker has composed, such as a summary, is another object in each result.
    const added = others.filter((message) => !takeEqual(leftOut, message));
    await compactor.setRequestContext({ added, leftOut });
    note(added, leftOut);
  }
  return sent;
}

/** What a request has besides the view, and what it leaves out of it. */
export function contextOf<M extends object>(view: readonly M[], sent: readonly M[]): { added: M[]; leftOut: M[] } {
  const [had, has] = [new Set(view), new Set(sent)];
  return { added: sent.filter((message) => !had.has(message)), leftOut: view.filter((message) => !has.has(message)) };
}

/** Takes a message of the same content out of a list, if there is one. */
function takeEqual(messages: object[], message: object): boolean {
  const at = messages.findIndex((other) => isEqual(other, message));
  return at !== -1 && messages.splice(at, 1).length > 0;
}
