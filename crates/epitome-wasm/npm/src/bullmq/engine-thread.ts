// Threads with engines: each compacts one conversation at a time, and is used again.

import { Worker } from "node:worker_threads";
import { messageOf, property } from "../error.js";
import type { Report } from "../glue/epitome.js";
import type { CompactionEvent } from "../host/events.js";
import type { Answer, FromThread, Question, Result, Task, ToThread } from "./protocol.js";

/** What a compaction needs of the worker. */
export interface TaskHost {
  /** Answers a question of the thread. */
  answer(question: Question, signal: AbortSignal): Promise<Result>;
  /** Called for each event. */
  onEvent(event: CompactionEvent): void;
  /** Cancels the compaction. */
  readonly signal: AbortSignal;
}

/** Threads that are not in use. */
export class EngineThreads {
  readonly #free: Worker[] = [];
  readonly #all = new Set<Worker>();

  /** Compacts a conversation. Rejects if the thread ends, or if the compaction cannot begin. */
  async run(task: Omit<Task, "type">, host: TaskHost): Promise<Report> {
    const thread = this.#free.pop() ?? this.#start();
    let isReusable = false;
    try {
      const report = await compactIn(thread, { type: "task", ...task }, host);
      isReusable = true;
      return report;
    } finally {
      if (isReusable && this.#all.has(thread)) {
        this.#free.push(thread);
      } else {
        this.#all.delete(thread);
        void thread.terminate();
      }
    }
  }

  /** Ends all threads. */
  async close(): Promise<void> {
    const threads = [...this.#all];
    this.#all.clear();
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  #start(): Worker {
    const thread = new Worker(new URL("./thread.js", import.meta.url));
    // A thread that waits for work does not keep the process running.
    thread.unref();
    this.#all.add(thread);
    return thread;
  }
}

function compactIn(thread: Worker, task: Task, host: TaskHost): Promise<Report> {
  const send = (message: ToThread): void => thread.postMessage(message);
  const ending = new AbortController();
  const answer = async (id: number, question: Question): Promise<Answer> => {
    try {
      return { type: "answer", id, value: await host.answer(question, ending.signal) };
    } catch (error) {
      const fields = { message: messageOf(error, "it did not say why"), ...decisive(error) };
      return { type: "answer", id, error: fields };
    }
  };
  const cancel = (): void => send({ type: "cancel" });
  return new Promise<Report>((resolve, reject) => {
    const end = (act: () => void): void => {
      thread.off("message", receive).off("error", broken).off("exit", exited);
      host.signal.removeEventListener("abort", cancel);
      ending.abort();
      act();
    };
    const receive = (message: FromThread): void => {
      switch (message.type) {
        case "question":
          return void answer(message.id, message).then(send);
        case "event":
          return host.onEvent(message.event);
        case "ended":
          return end(() => resolve(message.report));
        case "failed":
          return end(() => reject(new Error(message.message)));
      }
    };
    const broken = (error: Error): void => end(() => reject(error));
    const exited = (): void => end(() => reject(new Error("the engine's thread has ended")));
    thread.on("message", receive).on("error", broken).on("exit", exited);
    host.signal.addEventListener("abort", cancel, { once: true });
    send(task);
    if (host.signal.aborted) {
      cancel();
    }
  });
}

/** What the engine decides by whether a request that failed is repeated. */
const DECISIVE = ["name", "code", "type", "status", "statusCode", "retryable", "retryAfterMs"];

/** These fields of an error. The others, which may be anything, may not be what a thread can be sent. */
function decisive(error: unknown): Record<string, string | number | boolean> {
  const found: Record<string, string | number | boolean> = {};
  for (const field of DECISIVE) {
    const value = property(error, field);
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      found[field] = value;
    }
  }
  return found;
}
