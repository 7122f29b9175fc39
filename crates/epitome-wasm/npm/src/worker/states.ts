// The states of a compactor in a worker, for those who cannot wait for a promise.

import type { CompactorState } from "../host/state.js";
import type { WorkerAgent, WorkerCompactor } from "./compactor.js";

/** The latest state of a compactor in a worker, as `useSyncExternalStore` of React and stores of Svelte and Vue take it. */
export interface WorkerStates<M extends object = object> {
  /** Calls a listener with the state, at once and whenever another one has come. Returns the function that ends this. */
  subscribe(listener: (state: CompactorState<M>) => void): () => void;
  /** The latest state that has come: the same object until the next one. */
  getSnapshot(): CompactorState<M>;
}

/** The states of a compactor in a worker, or of one of its agents. Resolves as soon as the first one is there. */
export async function statesOf<M extends object>(compactor: WorkerCompactor<M> | WorkerAgent<object, M>): Promise<WorkerStates<M>> {
  const listeners = new Set<(state: CompactorState<M>) => void>();
  let latest = await compactor.getSnapshot();
  await compactor.subscribe((state) => {
    latest = state;
    listeners.forEach((listener) => listener(state));
  });
  return {
    subscribe(listener) {
      // One that is subscribed twice is called twice, and ended one by one.
      const own = (state: CompactorState<M>): void => listener(state);
      listeners.add(own);
      own(latest);
      return () => void listeners.delete(own);
    },
    getSnapshot: () => latest,
  };
}
