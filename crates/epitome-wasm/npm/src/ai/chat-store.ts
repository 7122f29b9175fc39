// The AI SDK's `useChat`: the page keeps all messages, and its route gets those of the view.

import { fieldsOf } from "../arguments.js";
import type { Compactor } from "../host/compactor.js";
import type { AiSdkUiMessage } from "../host/format-messages.js";
import { type AnyCompactor, compactorFrom, type Followed, type GivenCompactor, isInWorker, type OptionsWithoutFormat } from "../host/given.js";
import type { CompactorState } from "../host/state.js";
import { property } from "../error.js";
import { messagesOfRequest, type RequestOptions } from "../host/request.js";
import type { WorkerCompactor } from "../worker/compactor.js";
import { statesOf } from "../worker/states.js";

/** What the AI SDK passes to `prepareSendMessagesRequest`. */
export interface ChatRequest<M extends object> {
  readonly id: string;
  readonly messages: M[];
  readonly trigger: string;
  readonly messageId: string | undefined;
  readonly body: Record<string, unknown> | undefined;
}

/** A store for the messages of `useChat`. */
export interface ChatStore<M extends object = AiSdkUiMessage, C = Compactor<M>> {
  readonly compactor: C;
  /** Follows the messages that `useChat` returns: for an effect, at each chunk of an answer, an edit, a new answer. */
  follow(messages: readonly M[]): void;
  /** For the option of the same name of `DefaultChatTransport`: compacts if that is due, and sends the view. */
  prepareSendMessagesRequest<N extends M>(request: ChatRequest<N>): Promise<{ body: Record<string, unknown> }>;
  /** For `useSyncExternalStore`, together with `getSnapshot`. */
  subscribe(listener: (state: CompactorState<M>) => void): () => void;
  /** What the compactor has now: the same object until something changes. */
  getSnapshot(): CompactorState<M>;
}

/**
 * A store for `useChat`, by a compactor for messages of the format `ai-sdk-ui`, or the options of one.
 *
 * A usage that the route puts into the metadata of its answers as `usage` is reported.
 */
export function chatStore<M extends AiSdkUiMessage = AiSdkUiMessage>(
  given?: Compactor<M> | Promise<Compactor<M>> | OptionsWithoutFormat<M>,
  options?: RequestOptions,
): Promise<ChatStore<M>>;
/** The same by a compactor in a worker. */
export function chatStore<M extends AiSdkUiMessage = AiSdkUiMessage>(
  given: WorkerCompactor<M> | Promise<WorkerCompactor<M>>,
  options?: RequestOptions,
): Promise<ChatStore<M, WorkerCompactor<M>>>;
export async function chatStore<M extends AiSdkUiMessage = AiSdkUiMessage>(
  given: GivenCompactor<M> = {},
  options: RequestOptions = {},
): Promise<ChatStore<M, AnyCompactor<M>>> {
  const { recall } = fieldsOf(options, "options");
  const compactor = await compactorFrom<M>(given, "ai-sdk-ui")();
  const followed: Followed<M> = compactor;
  const states = isInWorker(compactor) ? await statesOf(compactor) : compactor;
  return {
    compactor,
    follow: (messages) => {
      const following = followed.sync(messages);
      // What fails in a worker fails again when the messages are sent, and is thrown there.
      if (following instanceof Promise) {
        following.catch(() => undefined);
      }
    },
    prepareSendMessagesRequest: async ({ id, messages, trigger, messageId, body }) => {
      await followed.sync(messages);
      const answer = messages.filter(({ role }) => role === "assistant").at(-1);
      await followed.reportUsage(property(answer?.metadata, "usage") as object | undefined);
      await followed.compactIfNeeded();
      return { body: { ...body, id, messages: await messagesOfRequest(followed, recall), trigger, messageId } };
    },
    subscribe: (listener) => states.subscribe(listener),
    getSnapshot: () => states.getSnapshot(),
  };
}
