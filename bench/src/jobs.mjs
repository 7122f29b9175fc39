// Compactions as jobs of BullMQ: how many a second, and what they cost, by one to four workers on a real Redis and SQLite.
//
//   node bench/src/jobs.mjs [--conversations 1000] [--rounds 5] [--workers 1,2,4] [--faults]
//
// Needs the package (`cargo xtask package`), the packages of `tests`, and redis-server. With `--faults`, two of four workers are
// killed and Redis is restarted once. Every run checks that each job has had its effect exactly once.

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const tests = new URL("../../tests/", import.meta.url);
const require = createRequire(new URL("package.json", tests));
const Database = require("better-sqlite3");
const { Queue, QueueEvents } = require("bullmq");
const { startRedis } = await import(new URL("storage/servers.mjs", tests));
// The entries of the package, which `require` cannot resolve: they are ES modules only.
const dist = new URL("../crates/epitome-wasm/npm/dist/entrypoints/", tests);
const { compactionSettled, enqueueCompaction } = await import(new URL("bullmq.js", dist));
const { sqliteStore } = await import(new URL("node.js", dist));
const { openConversation } = await import(new URL("storage.js", dist));

const { values } = parseArgs({
  options: {
    conversations: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    workers: { type: "string", default: "1,2,4" },
    faults: { type: "boolean", default: false },
  },
});
const [conversations, rounds] = [Number(values.conversations), Number(values.rounds)];
const POLICY = { window: 8_000, triggers: ["manual"], reducers: [] };
const chat = (from) =>
  Array.from({ length: 40 }, (_, turn) => ({
    role: turn % 2 ? "assistant" : "user",
    content: `Turn ${from + turn}: bed ${turn * 7} of the garden gets ${turn} roses, and compost before the frost. `.repeat(4),
  }));

/** Seconds of processor time that a process has taken. */
const processorSeconds = (pid) => {
  const [, after] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const fields = after.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

async function measure(workers) {
  const folder = mkdtempSync(join(tmpdir(), "epitome-bench-jobs-"));
  const file = join(folder, "conversations.db");
  const database = new Database(file);
  const store = sqliteStore(database);
  const redis = await startRedis();
  const connection = { host: "127.0.0.1", port: redis.port, maxRetriesPerRequest: null };
  const [queue, events] = [new Queue("context-compaction", { connection }), new QueueEvents("context-compaction", { connection })];
  for (const emitter of [queue, events]) {
    emitter.on("error", () => {});
    emitter.setMaxListeners(0);
  }
  await events.waitUntilReady();
  const grow = async (id, round) => {
    const { compactor, close } = await openConversation({ store, id: `bench:${id}`, format: "openai-chat", policy: POLICY });
    compactor.append(chat(round * 40));
    await compactor.commit();
    close();
  };
  const ids = Array.from({ length: conversations }, (_, number) => String(number));
  const script = fileURLToPath(new URL("storage/jobs.mjs", tests));
  const processes = await Promise.all(
    Array.from({ length: workers }, async () => {
      const child = fork(script, [String(redis.port), file, join(folder, "requests.log")]);
      await once(child, "message");
      return child;
    }),
  );
  const before = processes.map(({ pid }) => processorSeconds(pid));
  const effects = new Map(ids.map((id) => [id, []]));
  let [seconds, done] = [0, 0];
  const total = conversations * rounds;
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const id of ids) {
        await grow(id, round);
      }
      const begun = performance.now();
      await Promise.all(
        ids.map(async (id) => {
          const key = { domain: "bench", entityId: id };
          effects.get(id).push(await enqueueCompaction(queue, key));
          await compactionSettled(queue, events, key);
          done += 1;
          if (values.faults && (done === Math.floor(total / 4) || done === Math.floor((total * 3) / 4))) {
            processes.find((child) => child.signalCode === null && !child.killed).kill("SIGKILL");
          }
          if (values.faults && done === Math.floor(total / 2)) {
            await redis.restart();
          }
        }),
      );
      seconds += (performance.now() - begun) / 1_000;
    }
    const running = processes.map(({ pid, killed }, index) => (killed ? 0 : processorSeconds(pid) - before[index]));
    let wrong = 0;
    for (const id of ids) {
      const head = await store.head(`bench:${id}`);
      wrong += Number(JSON.stringify(head.jobs) !== JSON.stringify(effects.get(id)) || head.sequence !== 2 * rounds);
    }
    const processor = (running.reduce((sum, one) => sum + one, 0) * 1_000) / total;
    return { workers, jobs: total, seconds, perSecond: total / seconds, processor, wrong };
  } finally {
    processes.forEach((child) => child.kill("SIGKILL"));
    await events.close();
    await queue.close();
    await redis.stop();
    database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

console.log(`${conversations} conversations, ${rounds} compactions each, ${cpus().length} cores${values.faults ? "; two workers killed, Redis restarted" : ""}`);
console.log("| workers | jobs | seconds | jobs/s | processor ms per job | conversations with another effect |\n|---|---|---|---|---|---|");
for (const workers of values.faults ? [4] : values.workers.split(",").map(Number)) {
  const { jobs, seconds, perSecond, processor, wrong } = await measure(workers);
  console.log(`| ${workers} | ${jobs} | ${seconds.toFixed(1)} | ${perSecond.toFixed(1)} | ${processor.toFixed(1)} | ${wrong} |`);
  process.exitCode ||= Number(wrong > 0);
}
