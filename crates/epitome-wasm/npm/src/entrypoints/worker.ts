// A compactor off the main thread.

export { createWorkerCompactor, restoreWorkerCompactor, type WorkerCompactorOptions, type WorkerOptions, type WorkerRestoreOptions } from "../worker/create.js";
export type { Promised, WorkerAgent, WorkerCompactor } from "../worker/compactor.js";
export { serveCompactors } from "../worker/serve.js";
export { statesOf, type WorkerStates } from "../worker/states.js";
export type { EngineWorker } from "../worker/thread.js";
