// The results as a Markdown page: the targets first, then the figures of every part.

import { figure, table, times } from "./markdown.mjs";
import { geometricMean, mean } from "./statistics.mjs";
import { bestPass, targets } from "./targets.mjs";

/** The whole page. */
export function report({ date, machine, versions, parts, measuredBy }) {
  const written = SECTIONS.filter(([part]) => parts[part] !== undefined).flatMap(([part, title, note, tables]) => [
    `## ${title}`,
    measuredBy[part] === "quick" ? `${note} A quick run, with fewer texts and passes.` : note,
    ...tables(parts[part]),
  ]);
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    "# Results of the bench",
    `${date === undefined ? "" : `${date}. `}${machine}. ${packages.join(", ")}.`,
    [
      "`cargo xtask bench` writes this page. Candidates take turns in one process; times are processor time in Node",
      "and wall clock in Chromium, the best of several passes. Ratios carry over to other machines, single times do not.",
    ].join("\n"),
    "## What has to hold",
    mustHold(parts),
    ...written,
    "",
  ].join("\n\n");
}

/** The table of targets. */
export function mustHold(parts) {
  const verdict = { true: "met", false: "not met", undefined: "–" };
  const rows = targets(parts).map(({ what, target, measured, met }) => [what, target, measured, verdict[met]]);
  return table(["what", "target", "measured", ""], rows, 4);
}

const SECTIONS = [
  [
    "accuracy",
    "Accuracy of estimates",
    `Absolute error per message of 20 and more tokens, and signed error of a kind as a whole, in percent of tiktoken's
o200k_base; texts of sources that the estimator was never fitted on.`,
    accuracy,
  ],
  [
    "estimating",
    "Estimating, Node",
    "MB of UTF-8 per second, from JavaScript strings that are new every time.",
    ({ rows }) => [estimating(rows)],
  ],
  [
    "counting",
    "Counting exactly, Node",
    `MB/s of epitome, and how many times faster than the others it is. The first pass has warm code and empty caches; the
warm pass follows it. js-tiktoken gets a tenth of each text.`,
    ({ rows }) => ["First pass:", counting(rows, "first"), "Warm:", counting(rows, "warm")],
  ],
  [
    "chromium",
    "Headless Chromium",
    `Wall clock in a page. The start is measured in a new page over the loopback interface, from before the import to the
first count.`,
    inChromium,
  ],
  [
    "start",
    "Start and memory",
    `A new process of Node each, from before the import to the first count; the memory is what the process has more than
before, after garbage collection.`,
    start,
  ],
  [
    "sizes",
    "Bytes on the wire",
    "Bundled and minified from the smallest entry point, with the files that it loads; kB.",
    sizes,
  ],
  [
    "worst-cases",
    "Worst cases",
    "Milliseconds at 1, 10 and 100 kB. “over” means over the time limit, or sure to be so given the time of the smaller size.",
    worstCases,
  ],
  ["agreement", "Agreement with tiktoken", "Counts by o200k_base, text by text.", agreement],
  [
    "history",
    "Operations on a history",
    "Milliseconds per call, by the number of messages in the conversation; a message has 390 characters.",
    history,
  ],
];

function accuracy({ kinds, conversations }) {
  const names = Object.keys(kinds[0].mean);
  const columns = [
    "kind",
    "messages",
    ...names.map((name) => `${name}: mean`),
    "epitome: 95 %",
    ...names.map((name) => `${name}: signed`),
  ];
  const cells = (one) => [
    ...names.map((name) => one.mean[name].toFixed(1)),
    one.p95.epitome.toFixed(1),
    ...names.map((name) => one.signed[name].toFixed(1)),
  ];
  const all = names.map((name) => mean(kinds.map((one) => one.mean[name])).toFixed(2));
  const byKind = table(columns, [
    ...kinds.map((one) => [one.kind, one.messages, ...cells(one)]),
    ["mean over kinds", "", ...all, ...Array(names.length + 1).fill("")],
  ]);
  if (conversations === undefined) {
    return [byKind];
  }
  const rows = names.map((name) => [
    name,
    conversations.conversations,
    conversations.mean[name].toFixed(1),
    conversations.p95[name].toFixed(1),
  ]);
  return [
    byKind,
    "Whole conversations, in percent:",
    table(["", "conversations", "mean signed error", "95 % of absolute errors"], rows),
  ];
}

function estimating(rows) {
  const all = rows.map((row) => ({ ...row, best: bestPass(row) }));
  const names = Object.keys(all[0].best);
  const groups = [
    ["latin", "geometric mean, Latin letters"],
    ["other", "geometric mean, other scripts"],
    [undefined, "geometric mean"],
  ];
  const summary = groups.map(([script, title]) => {
    const chosen = all.filter((row) => script === undefined || row.script === script);
    const means = names.map((name) => geometricMean(chosen.map((row) => row.best[name])));
    return [title, ...means.map(figure), times(means[0] / means[1])];
  });
  const lines = all.map(({ kind, best }) => [
    kind,
    ...names.map((name) => figure(best[name])),
    times(best.epitome / best.tokenx),
  ]);
  return table(["kind", ...names, "ratio"], [...lines, ...summary]);
}

function counting(rows, when) {
  const [ours, ...others] = Object.keys(rows[0][when]);
  const ratios = (row) => others.map((name) => row[when][ours] / row[when][name]);
  const means = others.map((_, column) => geometricMean(rows.map((row) => ratios(row)[column])));
  return table(
    ["kind", `${ours}, MB/s`, ...others],
    [
      ...rows.map((row) => [row.kind, figure(row[when][ours]), ...ratios(row).map(times)]),
      ["geometric mean", figure(geometricMean(rows.map((row) => row[when][ours]))), ...means.map(times)],
    ],
  );
}

function inChromium({ version, start: starts, estimating: estimates, counting: counts }) {
  return [
    `Chromium ${version}.`,
    table(
      ["start", "ms"],
      starts.map(({ whose, ms }) => [whose, figure(ms)]),
    ),
    "Estimating, MB/s:",
    estimating(estimates),
    "Counting exactly, first pass:",
    counting(counts, "first"),
    "Counting exactly, warm:",
    counting(counts, "warm"),
  ];
}

function start({ rows }) {
  const columns = [
    "",
    "processor time, ms",
    "median, ms",
    "import, ms of wall clock",
    "heap and buffers, MB",
    "wasm memory, MB",
    "with index, MB",
    "resident, MB",
  ];
  const cells = (row) =>
    [row.cpuMs, row.medianCpuMs, row.importMs, row.heapMB, row.wasmMB || undefined, row.wasmLaterMB || undefined, row.residentMB].map(figure);
  return [
    table(
      columns,
      rows.map((row) => [row.whose, ...cells(row)]),
    ),
  ];
}

function sizes({ rows }) {
  const columns = ["", "bytes", "gzip", "brotli", "brotli's quality"];
  const kilobytes = (bytes) => (bytes / 1000).toFixed(1);
  return [
    table(
      columns,
      rows.map((row) => [row.name, ...[row.bytes, row.gzip, row.brotli].map(kilobytes), row.quality]),
    ),
  ];
}

function worstCases({ limitMs, sizes: bytes, rows }) {
  const names = Object.keys(rows[0].ms);
  const cell = (times) => bytes.map((size) => (times[size] === undefined ? "over" : figure(times[size]))).join(" / ");
  return [
    `The limit is ${limitMs / 1000} s.`,
    table(
      ["input", ...names],
      rows.map((row) => [row.case, ...names.map((name) => cell(row.ms[name]))]),
    ),
  ];
}

function agreement({ groups }) {
  const columns = ["texts", "how many", "tokens", "different", "thrown"];
  const cells = ({ texts, tokens, different, thrown }) =>
    [texts, tokens, different, thrown].map((value) => value.toLocaleString("en"));
  return [
    table(
      columns,
      groups.map((group) => [group.group, ...cells(group)]),
    ),
  ];
}

function history({ rows }) {
  const messages = [...new Set(rows.map((row) => row.messages))];
  const operations = [...new Set(rows.map(({ whose, operation }) => `${whose}: ${operation}`))];
  const of = (name, size) => rows.find((row) => `${row.whose}: ${row.operation}` === name && row.messages === size)?.ms;
  return [
    table(
      ["operation", ...messages.map((size) => size.toLocaleString("en"))],
      operations.map((name) => [name, ...messages.map((size) => figure(of(name, size)))]),
    ),
  ];
}
