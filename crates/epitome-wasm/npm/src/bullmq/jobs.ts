// Compactions as jobs of BullMQ: how an app adds them, and waits for them.

import { Job, type Queue, type QueueEvents } from "bullmq";
import type { Reason } from "../glue/epitome.js";
import { type ConversationKey, jobKey } from "../queue/queue.js";
import { QUEUE_SETTINGS } from "../queue/schedule.js";

/** The usual name of the queue. */
export const QUEUE = "context-compaction";

/** A compaction to carry out. */
export interface CompactionJob extends ConversationKey {
  /** Default: `session-compaction`. */
  readonly reason?: Reason;
  /** What the summary should pay attention to. */
  readonly instructions?: string;
}

/** The id of a conversation in the store. */
export function conversationId({ domain, entityId }: ConversationKey): string {
  return `${domain}:${entityId}`;
}

/**
 * Adds a compaction to a queue. Of each conversation at most one runs and one waits: a job that comes while one waits is that
 * one, and its id is returned. A job is tried twice, the second time after 3 seconds.
 *
 * The id is chosen here and not by Redis: a client that loses the answer sends the job again, and with its id it stays one job
 * even if it has ended meanwhile. An id is not used again either after Redis has lost its data: a conversation that has the
 * effect of the old job would take the new job for it.
 */
export async function enqueueCompaction(queue: Queue, job: CompactionJob): Promise<string> {
  const added = await queue.add("compact", job, {
    jobId: crypto.randomUUID(),
    deduplication: { id: jobKey(job), keepLastIfActive: true },
    attempts: QUEUE_SETTINGS.attempts,
    backoff: { type: "exponential", delay: QUEUE_SETTINGS.backoffMs },
    removeOnComplete: { age: 3_600, count: 1_000 },
    removeOnFail: { age: 24 * 3_600 },
  });
  return added.id ?? "";
}

/** True while a compaction of this conversation waits or runs. */
export async function isCompacting(queue: Queue, conversation: ConversationKey): Promise<boolean> {
  return (await queue.getDeduplicationJobId(jobKey(conversation))) !== null;
}

/**
 * Resolves when no compaction of this conversation waits or runs, whatever became of them. A chat request waits for it, and then
 * opens the conversation with its new view.
 */
export async function compactionSettled(queue: Queue, events: QueueEvents, conversation: ConversationKey): Promise<void> {
  for (;;) {
    const id = await queue.getDeduplicationJobId(jobKey(conversation));
    const job = id === null ? undefined : await Job.fromId(queue, id);
    if (job === undefined) {
      return;
    }
    await job.waitUntilFinished(events).catch(() => undefined);
  }
}
