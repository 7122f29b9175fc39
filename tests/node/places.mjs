// The same tests over compactors and conversations of this thread and over those in a worker. Both are awaited: what a compactor of this thread returns is
// awaited in vain, and what it throws rejects.

import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { createCompactor, restoreCompactor } from "epitome";
import { openConversation } from "epitome/storage";
import { createWorkerCompactor, openWorkerConversation, restoreWorkerCompactor } from "epitome/worker";
import { fullCompactor } from "./fixtures.mjs";
import { compactorWith } from "./harness.mjs";

/** The functions that make compactors, and the one that opens a conversation. */
function placeOf(name, createCompactor, restoreCompactor, openConversation) {
  return {
    name,
    createCompactor,
    restoreCompactor,
    openConversation,
    fullCompactor: (options, messages) => fullCompactor(options, messages, createCompactor),
    compactorWith: (policy, messages, options) => compactorWith(policy, messages, options, createCompactor),
  };
}

/** A worker for the compactors of one file of tests. */
export function servingWorker() {
  const worker = new Worker(new URL("./serving-worker.mjs", import.meta.url));
  worker.unref();
  return worker;
}

const HERE = placeOf("here", createCompactor, restoreCompactor, openConversation);

/** The same in a worker. */
export function inWorker(worker) {
  return placeOf(
    "in a worker",
    (options) => createWorkerCompactor({ ...options, worker }),
    (snapshot, options) => restoreWorkerCompactor(snapshot, { ...options, worker }),
    (options) => openWorkerConversation({ ...options, worker }),
  );
}

let there;

/** A test in both places. */
export function both(name, run) {
  test(name, (context) => run(HERE, context));
  test(`m6: in a worker: ${name}`, (context) => run((there ??= inWorker(servingWorker())), context));
}
