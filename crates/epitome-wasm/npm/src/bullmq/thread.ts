// The engine of a compaction in a thread of its own, so that the event loop of the worker stays free to renew its lock.

import { parentPort } from "node:worker_threads";
import { loadModels, restoreCompactor } from "../api/api.js";
import { messageOf } from "../error.js";
import type { Compactor } from "../host/compactor.js";
import type { Changes, RestoreOptions } from "../host/options.js";
import type { Summarize } from "../host/summarize.js";
import type { FromThread, Question, Result, Task, ToThread } from "./protocol.js";

interface Waiting {
  readonly resolve: (value: Result) => void;
  readonly reject: (error: unknown) => void;
}

const port = parentPort;
const waiting = new Map<number, Waiting>();
let asked = 0;
let controller = new AbortController();

const send = (message: FromThread): void => port?.postMessage(message);

function ask(question: Question): Promise<Result> {
  asked += 1;
  const id = asked;
  send({ type: "question", id, ...question });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

const summarize: Summarize = async (request, { onNotes }) => {
  const { summary = "", notes = "" } = await ask({ kind: "summarize", request });
  onNotes(notes);
  return summary;
};

async function compact(task: Task): Promise<void> {
  const { text, format, agent, policy, summarizeTimeoutMs, reason, instructions } = task;
  controller = new AbortController();
  let compactor: Compactor<object> | undefined;
  try {
    const options = {
      format,
      ...(agent === undefined ? {} : { agent }),
      ...(summarizeTimeoutMs === undefined ? {} : { summarizeTimeoutMs }),
      summarize,
      commit: (changes: Changes) => ask({ kind: "commit", changes }),
    };
    compactor = await restoreCompactor<object>(text, options as unknown as RestoreOptions<object>);
    if (policy !== undefined) {
      await loadModels();
      compactor.setPolicy(policy);
    }
    const report = await compactor.compact({
      reason,
      ...(instructions === undefined ? {} : { instructions }),
      signal: controller.signal,
      onEvent: (event) => send({ type: "event", event }),
    });
    send({ type: "ended", report });
  } catch (error) {
    send({ type: "failed", message: messageOf(error, "it did not say why") });
  } finally {
    compactor?.dispose();
    waiting.clear();
  }
}

port?.on("message", (message: ToThread) => {
  switch (message.type) {
    case "task":
      void compact(message);
      return;
    case "cancel":
      controller.abort();
      return;
    case "answer": {
      const question = waiting.get(message.id);
      waiting.delete(message.id);
      if ("error" in message) {
        question?.reject(Object.assign(new Error(message.error.message), message.error));
      } else {
        question?.resolve(message.value);
      }
    }
  }
});
