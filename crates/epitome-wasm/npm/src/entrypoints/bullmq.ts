// Compactions as jobs of BullMQ, for servers that have it and Redis.

export { type CompactionJob, compactionSettled, enqueueCompaction, isCompacting } from "../bullmq/jobs.js";
export {
  type CompactionMetrics,
  type CompactionResult,
  type CompactionWorker,
  type CompactionWorkerOptions,
  createCompactionWorker,
} from "../bullmq/worker.js";
