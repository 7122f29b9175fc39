// What a team costs: appending with one agent and with many, a plan for one of them, and what their requests have in common; and how long the compactor takes to follow the app's array.
//
//   node bench/src/teams.mjs [--messages 100000] [--agents 1000]
//
// Needs the package (`cargo xtask package`).

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { processorTime } from "./clock.mjs";
import { median } from "./statistics.mjs";

const { createCompactor } = await import(new URL("../../crates/epitome-wasm/npm/dist/entrypoints/index.js", import.meta.url));

const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "100000" },
    agents: { type: "string", default: "1000" },
    // Measures a team of this many agents only, and prints what was found as JSON.
    team: { type: "string" },
  },
});
const [count, many] = [Number(values.messages), Number(values.agents)];
const POLICY = { window: 200_000, triggers: ["manual"], reducers: [], keep: { messages: 20 } };

/** A message of a team: one of a hundred is for all, the others for two agents beside their author. */
function message(number, agents) {
  const author = number % agents;
  const text = `Part ${number}: bed ${(number * 7) % 97} of the garden gets ${number % 40} roses, and compost before the frost. `.repeat(4);
  const readers = [(author + 1) % agents, (author + 3) % agents].map((agent) => `agent${agent}`);
  const audience = number % 100 === 0 ? {} : { audience: readers };
  return [{ role: "assistant", name: `agent${author}`, content: text }, { author: `agent${author}`, ...audience }];
}

/** Appends all messages of a team whose agents are all awake from the beginning, and asks each for its view at the end. */
async function team(agents) {
  const compactor = await createCompactor({ format: "openai-chat", policy: POLICY, summarize: () => "They planted roses." });
  const names = Array.from({ length: agents }, (_, agent) => `agent${agent}`);
  names.forEach((name) => compactor.agent(name).status());
  const all = Array.from({ length: count }, (_, number) => message(number, agents));
  const memory = process.memoryUsage.rss();
  const times = [];
  for (let at = 0; at < count; at += 1_000) {
    const started = processorTime();
    for (const [said, metadata] of all.slice(at, at + 1_000)) {
      compactor.append(said, metadata);
    }
    times.push(processorTime() - started);
  }
  const read = processorTime();
  names.forEach((name) => compactor.agent(name).status());
  const reading = processorTime() - read;
  const agent = compactor.agent(names[Math.floor(agents / 2)]);
  const planned = () => {
    const started = processorTime();
    agent.plan();
    return processorTime() - started;
  };
  const plans = Array.from({ length: 9 }, planned);
  const found = {
    agents,
    "messages of an agent": agent.history().length,
    "µs to append one": (median(times)).toFixed(2),
    "ms until all have read": reading.toFixed(0),
    "ms of a plan": median(plans).toFixed(2),
    "slowest plan": Math.max(...plans).toFixed(2),
    "MB more than before": ((process.memoryUsage.rss() - memory) / 1e6).toFixed(0),
  };
  compactor.dispose();
  return found;
}

/** A team in a process of its own, so that its memory is its own. */
function measured(agents) {
  const own = [fileURLToPath(import.meta.url), "--messages", values.messages, "--team", String(agents)];
  return JSON.parse(execFileSync(process.execPath, own, { encoding: "utf8" }));
}

/** How many bytes the requests of two agents have in common at their beginning, in percent of the shorter one. */
async function prefixes() {
  const summarize = () => "agent0 and agent3 have planted the roses of beds 1 to 90, and agent2 doubts the frost.";
  const policy = { ...POLICY, tasks: { sharedBy: "agent0" } };
  const compactor = await createCompactor({ format: "openai-chat", policy, summarize });
  const names = Array.from({ length: 5 }, (_, agent) => `agent${agent}`);
  const agents = names.map((name) => compactor.agent(name));
  const rows = [];
  const measure = (when) => {
    const requests = agents.map((agent) => JSON.stringify(agent.messages()));
    const shares = requests.flatMap((one, index) => requests.slice(index + 1).map((other) => common(one, other) / Math.min(one.length, other.length)));
    rows.push({ when, "bytes of a request": Math.round(median(requests.map(({ length }) => length))), least: percent(Math.min(...shares)), median: percent(median(shares)) });
  };
  const say = (from, to, isShared) => {
    for (let number = from; number < to; number += 1) {
      const [said, metadata] = message(number, 5);
      compactor.append(said, isShared(number) ? { author: metadata.author } : metadata);
    }
  };
  say(0, 200, () => true);
  measure("200 messages for all");
  say(200, 400, (number) => number % 3 > 0);
  measure("and 200, a third of them private");
  compactor.completeTask("planting");
  await compactor.compactIfNeeded({ phase: "turnEnd" });
  for (const agent of agents) {
    await agent.compactIfNeeded({ phase: "turnEnd" });
  }
  measure("after a shared summary of the task");
  say(400, 500, () => true);
  measure("and 100 messages for all");
  compactor.dispose();
  return rows;
}

const percent = (share) => `${(share * 100).toFixed(1)} %`;

function common(one, other) {
  let length = 0;
  while (length < one.length && one[length] === other[length]) {
    length += 1;
  }
  return length;
}

/** How long `sync` takes after the changes that chat pages make, in milliseconds. */
async function following(length) {
  const compactor = await createCompactor({ format: "openai-chat", policy: POLICY });
  let messages = Array.from({ length }, (_, turn) => ({ role: turn % 2 ? "assistant" : "user", content: `Turn ${turn}: ${"roses in May. ".repeat(20)}` }));
  compactor.sync(messages);
  const timed = (change) => {
    const times = [];
    for (let round = 0; round < 25; round += 1) {
      messages = change(round);
      const started = processorTime();
      compactor.sync(messages);
      times.push(processorTime() - started);
    }
    return median(times).toFixed(2);
  };
  const last = (content) => ({ role: "assistant", content });
  const found = {
    messages: length,
    "one appended": timed((round) => [...messages, last(`one more, number ${round}`)]),
    "the last one streamed": timed((round) => messages.with(-1, last(`it goes on ${"and on ".repeat(round)}`))),
    "the last one generated again": timed((round) => [...messages.slice(0, -1), last(`another answer, number ${round}`)]),
    "the same array": timed(() => messages),
  };
  compactor.dispose();
  return found;
}

if (values.team !== undefined) {
  console.log(JSON.stringify(await team(Number(values.team))));
  process.exit();
}
console.log(`${count} messages`);
console.table([measured(1), measured(many)]);
console.table(await prefixes());
console.table([await following(2_000), await following(count)]);
