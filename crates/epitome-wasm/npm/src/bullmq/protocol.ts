// What the worker and its engine thread say to each other.

import type { Format, PolicySpec, Reason, Report } from "../glue/epitome.js";
import type { CompactionEvent } from "../host/events.js";
import type { Changes } from "../host/options.js";
import type { SummarizeRequest, Summary } from "../host/summarize.js";

/** A compaction for the thread. */
export interface Task {
  readonly type: "task";
  /** The records and the state of the conversation. */
  readonly text: string;
  readonly format: Format;
  readonly agent: string | undefined;
  readonly policy: PolicySpec | undefined;
  readonly summarizeTimeoutMs: number | undefined;
  readonly reason: Reason;
  readonly instructions: string | undefined;
}

/** The result of a question: for a summary, what the summarizer returned, and what it noted for itself. */
export interface Result {
  readonly summary?: Summary | string;
  readonly notes?: string;
}

/** What the worker answers to a question of the thread. */
export type Answer = { readonly type: "answer"; readonly id: number } & (
  | { readonly value: Result }
  | { readonly error: { readonly message: string; readonly [field: string]: string | number | boolean } }
);

/** What the thread gets. */
export type ToThread = Task | Answer | { readonly type: "cancel" };

/** What the thread asks for. */
export type Question =
  | { readonly kind: "summarize"; readonly request: SummarizeRequest }
  | { readonly kind: "commit"; readonly changes: Changes };

/** What the worker gets. */
export type FromThread =
  | ({ readonly type: "question"; readonly id: number } & Question)
  | { readonly type: "event"; readonly event: CompactionEvent }
  | { readonly type: "ended"; readonly report: Report }
  | { readonly type: "failed"; readonly message: string };
