// The messages of a request that is not only the view.

import type { RecallOptions } from "../recall/recall.js";
import type { Agent, Compactor } from "./compactor.js";

/** Whether a request gets what has left the view and its latest turn speaks of, as `messagesWithRecall` does; or how much of it. */
export type WithRecall = boolean | RecallOptions;

/** What a request gets besides the view. */
export interface RequestOptions {
  /** Has each request end with what has left the view and its latest turn speaks of, as `messagesWithRecall` does: `true`, or how
   * much of it. Default: `false`. */
  recall?: WithRecall;
}

type Sender<M extends object> = Pick<Compactor<M> | Agent<object, M>, "messages" | "messagesWithRecall" | "setRequestContext">;

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
  const view = compactor.messages();
  const sent = await withRecall(compactor, recall);
  // Without recall, what the app has said of its requests stays.
  if (recall !== undefined && recall !== false) {
    const { added, leftOut } = countRequest(compactor, view, sent);
    note(added, leftOut);
  }
  return sent;
}

/** Has what a request has besides the view counted, and not what it leaves out of that, and returns both. */
export function countRequest<M extends object>(compactor: Sender<M>, view: readonly M[], sent: readonly M[]): { added: M[]; leftOut: M[] } {
  const [had, has] = [new Set(view), new Set(sent)];
  const context = { added: sent.filter((message) => !had.has(message)), leftOut: view.filter((message) => !has.has(message)) };
  compactor.setRequestContext(context);
  return context;
}
