// Writes the sample “A long coding session” from the history of this repository: `node web/samples/long-session.mjs [revision]`.
//
// Each of the last commits becomes a task: a request with the words of the commit, searches and reads of the files as they were
// before it, its changes as edits, and a run of the tests. All code is real. What is composed are the words between the calls, and
// what the tests print: as many tests as the commit has, all passed. The same revision gives the same file.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The latest commit of the session that is in the repository, unless another one is named. */
const [revision = "0fe13b3748ec4497e550e03f14e5be329f4db0ce"] = process.argv.slice(2);
const OUTPUT = fileURLToPath(new URL("../public/samples/long-session.json", import.meta.url));

/** How long the session gets, in characters. About 400,000 tokens. */
const LENGTH = 1_640_000;
/** The most lines of one read, and how many lines around a change are read of a longer file. */
const READ_LINES = 400;
const AROUND = 60;
/** The most lines that a search shows, and characters of each. */
const FOUND_LINES = 25;
const FOUND_CHARACTERS = 160;
/** Larger commits are left out, so that a task is what one asks for at once. */
const MAX_FILES = 8;
const MAX_CHANGED_LINES = 500;

const CODE = /\.(rs|ts|tsx|mjs|js|css|md)$/;
/** Files that tools write, and those with texts that a scanner of secrets may take for a key. */
const LEFT_OUT = /CHANGELOG|\.lock$|lock\.json$|^web\/(languages|first-paint|public)\/|snapshots?\/|\.d\.ts$|research\//;
const PRIVATE = /\/(home|root|work|tmp|Users)\/|\b(sk|ghp|xox[bp])-?[A-Za-z0-9]{8,}|AKIA|BEGIN [A-Z ]*PRIVATE|registry|artifactory|proxy\./i;

const git = (...args) => execFileSync("git", args, { encoding: "utf8", maxBuffer: 1 << 28 });

/** The same for commands of git that end with 1 if they find nothing. */
function found(...args) {
  try {
    return git(...args);
  } catch (error) {
    if (error.status === 1) return "";
    throw error;
  }
}

/** The commits from the latest one on, each with its title and its text. */
function commits() {
  const entries = git("log", "--no-merges", "--format=%H%x1f%s%x1f%b%x1e", revision).split("\x1e");
  return entries.map((entry) => entry.trim().split("\x1f")).filter(([hash]) => hash !== "").map(([hash, title, text = ""]) => ({ hash, title, text: text.trim() }));
}

/** The files of a commit, each with its status and hunks; `undefined` if it is no task for a session. */
function changesOf({ hash }) {
  const names = git("diff", "--name-status", "--no-renames", `${hash}^`, hash).trim().split("\n").filter(Boolean);
  const files = names.map((line) => line.split("\t")).filter(([, path]) => CODE.test(path) && !LEFT_OUT.test(path));
  if (files.length === 0 || files.length > MAX_FILES || files.some(([status]) => !"AM".includes(status))) return undefined;
  const changes = files.map(([status, path]) => {
    const patch = git("diff", "--no-renames", "-U3", `${hash}^`, hash, "--", path);
    return { path, isNew: status === "A", hunks: hunksOf(patch) };
  });
  const lines = changes.flatMap(({ hunks }) => hunks).reduce((sum, { added, removed }) => sum + added + removed, 0);
  return lines >= 4 && lines <= MAX_CHANGED_LINES ? changes : undefined;
}

function hunksOf(patch) {
  const parts = patch.split(/^@@ /m).slice(1);
  return parts.map((part) => {
    const [head, ...lines] = part.split("\n");
    const [, from, count = "1"] = /^-(\d+)(?:,(\d+))?/.exec(head);
    const of = (signs) => lines.filter((line) => line !== "" && signs.includes(line[0])).map((line) => line.slice(1)).join("\n");
    const number = (sign) => lines.filter((line) => line.startsWith(sign)).length;
    return { from: Number(from), to: Number(from) + Number(count) - 1, old: of(" -"), new: of(" +"), added: number("+"), removed: number("-") };
  });
}

let calls = 0;

/** A message of the assistant with calls, and their results. */
function act(content, actions) {
  const answered = actions.map(({ tool, input, result }) => {
    calls += 1;
    const id = `call_${calls}`;
    const call = { id, type: "function", function: { name: tool, arguments: JSON.stringify(input) } };
    return { call, result: { role: "tool", tool_call_id: id, content: result } };
  });
  return [{ role: "assistant", content: content === "" ? null : content, tool_calls: answered.map(({ call }) => call) }, ...answered.map(({ result }) => result)];
}

/** A read of a file before the commit: all of it, or of a long one the lines around what changes. */
function read(parent, { path, hunks }) {
  const lines = git("show", `${parent}:${path}`).trimEnd().split("\n");
  const whole = lines.length <= READ_LINES;
  const first = whole ? 1 : Math.max(1, hunks[0].from - AROUND);
  const last = whole ? lines.length : Math.min(lines.length, first + READ_LINES - 1, hunks.at(-1).to + AROUND);
  const range = whole ? {} : { first_line: first, last_line: last };
  return { tool: "read_file", input: { path, ...range }, result: lines.slice(first - 1, last).join("\n") };
}

/** A search for the first longer name that is declared in the lines that change. */
function search(parent, changes) {
  const old = changes.flatMap(({ hunks }) => hunks).map((hunk) => hunk.old).join("\n");
  const name = /\b(?:fn|function|struct|enum|type|interface)\s+([A-Za-z_]\w{6,})/.exec(old)?.[1];
  if (name === undefined) return [];
  const lines = found("grep", "-n", "-w", name, parent, "--", "*.rs", "*.ts").trimEnd().split("\n").filter(Boolean);
  const shown = lines.slice(0, FOUND_LINES).map((line) => line.slice(parent.length + 1, parent.length + 1 + FOUND_CHARACTERS));
  const rest = lines.length > FOUND_LINES ? [`(${lines.length - FOUND_LINES} more)`] : [];
  return lines.length === 0 ? [] : [{ tool: "search", input: { query: name, word: true }, result: [...shown, ...rest].join("\n") }];
}

function edits(hash, { path, isNew, hunks }) {
  if (isNew) {
    const content = git("show", `${hash}:${path}`);
    return [{ tool: "write_file", input: { path, content }, result: `Wrote ${content.split("\n").length - 1} lines.` }];
  }
  return hunks.map((hunk) => ({ tool: "edit_file", input: { path, old: hunk.old, new: hunk.new }, result: "1 replacement." }));
}

/** Runs of the tests of each crate that the commit touches, or of the compiler of TypeScript. */
function runs(hash, changes) {
  const folders = changes.map(({ path }) => (path.endsWith(".rs") ? (/^(crates\/[^/]+|web|tests)\//.exec(path)?.[1] ?? "") : ""));
  const tests = [...new Set(folders)].filter(Boolean).map((folder) => {
    const counts = found("grep", "-c", "#\\[test\\]", hash, "--", folder).trim().split("\n").filter(Boolean);
    const number = counts.reduce((sum, line) => sum + Number(line.split(":").at(-1)), 0);
    const name = folder.startsWith("crates/") ? folder.slice("crates/".length) : `epitome-${folder}`;
    const result = `running ${number} tests\n${".".repeat(Math.min(number, 80))}\ntest result: ok. ${number} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out`;
    return { tool: "run", input: { command: `cargo test --quiet --package ${name}` }, result };
  });
  const isTyped = changes.some(({ path }) => /\.(ts|tsx|mjs|js)$/.test(path));
  return isTyped ? [...tests, { tool: "run", input: { command: "npm run check" }, result: "No errors." }] : tests;
}

/** A title of a commit as the object of a request. */
const wish = (title) => title.replace(/^(The|A|An|In|On|At|If|What|When|Where|Who|No|Each|All|Of|With|Without|Some|There)\b/, (word) => word.toLowerCase()).replace(/\.$/, "");

const REQUESTS = [
  (title) => `Please see to this: ${title}.`,
  (title) => `The next one: ${title}.`,
  (title) => `Can you make this so? ${title[0].toUpperCase()}${title.slice(1)}.`,
  (title) => `I would like this now: ${title}.`,
];
const BEGINNINGS = ["I look at where this is first.", "First I read what is there.", "Let me see the code that does this now.", ""];
const EDITS = ["Now the change.", "That is the place. I change it.", "", "I make the change."];
const CHECKS = ["Now the tests.", "I check it.", ""];

function taskOf({ hash, title, text }, changes, number) {
  const parent = git("rev-parse", `${hash}^`).trim();
  const one = (list) => list[number % list.length];
  const asked = [one(REQUESTS)(wish(title)), text].filter(Boolean).join("\n\n");
  const known = changes.filter(({ isNew }) => !isNew);
  const looks = [...search(parent, known), ...known.map((change) => read(parent, change))];
  const checks = runs(hash, changes);
  const total = (what) => changes.flatMap(({ hunks }) => hunks).reduce((sum, hunk) => sum + hunk[what], 0);
  const files = changes.length === 1 ? changes[0].path : `${changes.length} files`;
  const passed = checks.length > 0 ? " The checks pass." : "";
  return [
    { role: "user", content: asked },
    ...(looks.length > 0 ? act(one(BEGINNINGS), looks) : []),
    ...changes.flatMap((change, index) => act(index === 0 ? one(EDITS) : "", edits(hash, change))),
    ...(checks.length > 0 ? act(one(CHECKS), checks) : []),
    { role: "assistant", content: `Done: ${wish(title)}. Changed ${files}, ${total("added")} lines added and ${total("removed")} removed.${passed}` },
  ];
}

const SYSTEM = `You work on epitome, a library in Rust that keeps conversations with language models inside the context window. It has a package for npm (crates/epitome-wasm) and a page (web).

Tools: search, read_file (at most ${READ_LINES} lines at once), edit_file, write_file, run.

- Read a file before you change it.
- One change does one thing. Run the tests of what you have changed.
- No unwrap, no indexing outside of tests. Comments say why.
- Say in one or two sentences what you have done.`;

const chosen = [];
let length = 0;
for (const commit of commits()) {
  if (length >= LENGTH) break;
  const changes = changesOf(commit);
  if (changes === undefined) continue;
  const task = taskOf(commit, changes, chosen.length);
  const text = JSON.stringify(task);
  if (PRIVATE.test(text)) continue;
  chosen.push(task);
  length += text.length;
}
// The latest commit was found first. Calls are numbered as they come.
const messages = [{ role: "system", content: SYSTEM }, ...chosen.reverse().flat()];
const ids = new Map();
for (const { tool_calls = [] } of messages) for (const { id } of tool_calls) ids.set(id, `call_${ids.size + 1}`);
for (const message of messages) {
  for (const call of message.tool_calls ?? []) call.id = ids.get(call.id);
  if (message.tool_call_id !== undefined) message.tool_call_id = ids.get(message.tool_call_id);
}
writeFileSync(OUTPUT, `${JSON.stringify(messages)}\n`);
console.log(`${chosen.length} tasks, ${messages.length} messages, ${Math.round(length / 1_000)} kB`);
