// A process with one compaction worker, for tests that kill it: its arguments are the port of Redis, a SQLite file and a log.

import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createCompactionWorker } from "epitome/bullmq";
import { sqliteStore } from "epitome/node";

const [, , port, file, log] = process.argv;
const Database = createRequire(import.meta.url)("better-sqlite3");

createCompactionWorker({
  connection: { host: "127.0.0.1", port: Number(port), maxRetriesPerRequest: null },
  store: sqliteStore(new Database(file)),
  format: "openai-chat",
  // A file shows how often a summary was asked for, also by a worker that was killed.
  summarize: ({ input }) => {
    appendFileSync(log, `${process.pid}\n`);
    return `They worked on ${input.length} characters.`;
  },
  lockDuration: 2_000,
  stalledInterval: 500,
});
process.send?.("ready");
