// What an app can watch while a compaction runs.

import type { Counted } from "../counting/count.js";
import type { EngineEvent } from "../glue/epitome.js";

/** Whose it is: every event, context of a hook, report and request for a summary says so. */
export interface OfAgent {
  /** The agent of a team whose view it is about: it may have words that are only for this agent. Absent for the compactor itself,
   * whose view has nothing but what is for all. */
  agent?: string;
}

/** Something worth showing, mostly during a compaction. */
export type CompactionEvent = OfAgent & (EngineEvent | SummaryDelta | Counted | SaveFailed | UnknownModel);

/** A policy names a model and gives no window, and the model is not known. */
export interface UnknownModel {
  type: "unknownModel";
  model: string;
  /** The window that is used. */
  window: number;
}

/** The app's `save` failed after a compaction, or the browser could not store the compaction, such as on a full disk: it is
 * applied in memory, and stored by the next commit that succeeds. */
export interface SaveFailed {
  type: "saveFailed";
  message: string;
}

/** A part of a summary while it is written. */
export interface SummaryDelta {
  type: "delta";
  /** The id of the summarizer request. */
  request: number;
  text: string;
}
