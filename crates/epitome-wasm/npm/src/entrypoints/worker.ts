// A compactor and a stored conversation off the main thread.

export { createWorkerCompactor, restoreWorkerCompactor, type WorkerCompactorOptions, type WorkerOptions, type WorkerRestoreOptions } from "../worker/create.js";
export { openWorkerConversation, type WorkerConversation, type WorkerOpenOptions } from "../worker/open.js";
export type { Promised, WorkerAgent, WorkerCompactor } from "../worker/compactor.js";
export { serveCompactors } from "../worker/serve.js";
export { statesOf, type WorkerStates } from "../worker/states.js";
export type { EngineWorker } from "../worker/thread.js";
