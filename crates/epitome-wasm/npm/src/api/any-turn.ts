// A turn of a compactor, wherever its engine is.

import { type AnyCompactor, isInWorker } from "../host/given.js";
import type { TurnOptions, TurnResponse, TurnResult } from "../host/turn.js";
import { runTurn } from "./api.js";

/** Runs a turn as `runTurn` does. A compactor in a worker runs it there, and calls the functions of the options here. */
export function runAnyTurn<M extends object, R extends TurnResponse<M>>(compactor: AnyCompactor<M>, options: TurnOptions<M, R>): Promise<TurnResult<R>> {
  return isInWorker(compactor) ? compactor.runTurn(options) : runTurn(compactor, options);
}
