// The targets of the bench: each with the measured figures, and whether it is met.
//
// The targets of a part that was not measured are open.

import { geometricMean, sum } from "./statistics.mjs";

/** `{ what, target, measured, met }` for every target; `met` is undefined if a part or a candidate is missing. */
export function targets(parts) {
  return [
    ...accuracy(parts.accuracy),
    ...estimating(parts.estimating, parts.chromium),
    ...counting(parts.counting),
    ...start(parts.start),
    ...sizes(parts.sizes),
    ...worstCases(parts["worst-cases"]),
    ...agreement(parts.agreement),
    ...history(parts.history),
  ].map(({ what, target, found }) => ({
    what,
    target,
    measured: found?.measured ?? "not measured",
    met: found?.met,
  }));
}

const number = (value, digits = 1) => value.toFixed(digits);

/** A target whose figures may be missing: `look` is called only if they are present. */
const target = (what, target, measures, look) => ({
  what,
  target,
  found: measures === undefined ? undefined : look(measures),
});

/** A target with one or more conditions, all of which have to hold. */
const within = (measured, ...met) => ({ measured, met: met.every(Boolean) });

function accuracy(measures) {
  return [
    target(
      "estimate: mean error per message of 20 and more tokens, mean over kinds",
      "≤ 4.5 %",
      measures,
      ({ kinds }) => {
        const of = (name) => sum(kinds.map(({ mean }) => mean[name])) / kinds.length;
        return within(
          `${number(of("epitome"))} % (tokenx ${number(of("tokenx"))}, characters ÷ 4 ${number(of("characters ÷ 4"))})`,
          of("epitome") <= 4.5,
        );
      },
    ),
    target("estimate: kinds on which it is worse than tokenx", "none", measures, ({ kinds }) => {
      const worse = kinds.filter(({ mean }) => mean.epitome > mean.tokenx).map(({ kind }) => kind);
      return within(worse.length === 0 ? `none of ${kinds.length}` : worse.join(", "), worse.length === 0);
    }),
    target(
      "estimate, whole conversations: mean signed error; 95th percentile of the absolute one",
      "within ±2 %; ≤ 5 %",
      measures?.conversations,
      ({ conversations, mean, p95 }) => {
        const of = (name) => `${mean[name] < 0 ? "−" : "+"}${number(Math.abs(mean[name]))} / ${number(p95[name])} %`;
        return within(
          `${of("epitome")} in ${conversations} (tokenx ${of("tokenx")}, characters ÷ 4 ${of("characters ÷ 4")})`,
          Math.abs(mean.epitome) <= 2,
          p95.epitome <= 5,
        );
      },
    ),
  ];
}

/** How many times faster epitome is than `name`, for each of the rows on which both were measured. */
const ratios = (rows, when, name) =>
  rows.filter((row) => row[when][name] > 0).map((row) => row[when].epitome / row[when][name]);

/** The faster pass of each candidate. Estimators cache nothing, so both passes measure the same. */
export const bestPass = (row) =>
  Object.fromEntries(Object.keys(row.first).map((name) => [name, Math.max(row.first[name], row.warm[name])]));

function estimating(inNode, inChromium) {
  const best = (rows, script) =>
    rows?.filter((row) => script === undefined || row.script === script).map((row) => ({ best: bestPass(row) }));
  const faster = (what, least, rows) =>
    target(what, `≥ ${least} ×`, rows, (rows) => {
      const ratio = geometricMean(ratios(rows, "best", "tokenx"));
      return within(`${number(ratio)} ×`, ratio >= least);
    });
  return [
    faster("estimate of new strings against tokenx, Node", 10, best(inNode?.rows)),
    faster("estimate of new strings against tokenx, Chromium, Latin letters", 8, best(inChromium?.estimating, "latin")),
    faster("estimate of new strings against tokenx, Chromium, other scripts", 5, best(inChromium?.estimating, "other")),
  ];
}

function counting(measures) {
  const against = (name, first, warm) =>
    target(
      `exact against ${name}: first pass; warm`,
      first === warm ? `≥ ${first} ×` : `≥ ${first} ×; ≥ ${warm} ×`,
      measured(name),
      ({ rows }) => {
        const [cold, hot] = ["first", "warm"].map((when) => geometricMean(ratios(rows, when, name)));
        return within(`${number(cold)} ×; ${number(hot)} ×`, cold >= first, hot >= warm);
      },
    );
  const measured = (name) => (measures?.rows.some((row) => row.first[name] > 0) ? measures : undefined);
  return [
    against("gpt-tokenizer", 8, 5),
    against("ai-tokenizer", 8, 5),
    against("tiktoken", 5, 5),
    target("exact against js-tiktoken: first pass; warm", "faster", measured("js-tiktoken"), ({ rows }) => {
      const [cold, hot] = ["first", "warm"].map((when) => geometricMean(ratios(rows, when, "js-tiktoken")));
      return within(`${number(cold)} ×; ${number(hot)} ×`, cold > 1, hot > 1);
    }),
    ...["first", "warm"].map((when) =>
      target(
        `exact against bpe-openai in wasm, ${when === "first" ? "first pass" : "warm"}: on the worst kind`,
        "≥ 1.3 ×",
        measured("bpe-openai"),
        ({ rows }) => {
          const all = ratios(rows, when, "bpe-openai");
          const worst = Math.min(...all);
          const below = all.filter((ratio) => ratio < 1.3);
          const missed = `missed on ${below.length} of ${all.length}`;
          return within(
            `${number(worst, 2)} × on ${rows[all.indexOf(worst)].kind}, ${missed}, mean ${number(geometricMean(all))} ×`,
            worst >= 1.3,
          );
        },
      ),
    ),
  ];
}

function start(measures) {
  const of = (whose) => measures.rows.find((row) => row.whose === whose);
  return [
    target("exact: processor time from the start to the first count, against gpt-tokenizer", "≤ 1/6", measures, () => {
      const [ours, theirs] = [of("epitome").cpuMs, of("gpt-tokenizer").cpuMs];
      return within(`1/${number(theirs / ours)} (${number(ours)} ms, ${number(theirs)} ms)`, theirs / ours >= 6);
    }),
    target("exact: memory of the module with its vocabulary: at the first count; with its index", "≤ 12 MB", measures, () => {
      const { heapMB, wasmMB, wasmLaterMB } = of("epitome, whole vocabulary");
      const all = `heap and all buffers at first: ${number(heapMB)} MB more than before`;
      return within(`${number(wasmMB)}; ${number(wasmLaterMB)} MB (${all})`, wasmMB <= 12, wasmLaterMB <= 12);
    }),
    target("estimate: processor time from the start to the first one", "≤ 15 ms", measures, () => {
      const { cpuMs } = of("epitome estimate");
      return within(`${number(cpuMs)} ms (tokenx ${number(of("tokenx").cpuMs)} ms)`, cpuMs <= 15);
    }),
  ];
}

function sizes(measures) {
  const size = (what, limit, name) =>
    target(what, `≤ ${limit} kB`, measures, ({ rows }) => {
      const kilobytes = rows.find((row) => row.name === name).brotli / 1000;
      return within(`${number(kilobytes)} kB`, kilobytes <= limit);
    });
  return [
    size("vocabulary o200k_base on the wire, brotli", 770, "epitome: vocabulary o200k_base, whole"),
    size("vocabulary on the wire, ASCII shard, brotli", 460, "epitome: vocabulary, ASCII shard"),
    size("estimator with its model on the wire, module and glue, brotli", 60, "epitome: estimator, module and glue"),
  ];
}

function worstCases(measures) {
  const ours = (what, whose) =>
    target(what, "100 kB ≤ 100 ms and ≤ 15 × the time of 10 kB", measures, ({ rows }) => {
      const times = rows.map((row) => ({
        name: row.case,
        ms: row.ms[whose]["100000"] ?? Infinity,
        before: row.ms[whose]["10000"] ?? NaN,
      }));
      const slowest = times.reduce((one, other) => (other.ms > one.ms ? other : one));
      const steepest = times.reduce((one, other) => (other.ms / other.before > one.ms / one.before ? other : one));
      const ratio = steepest.ms / steepest.before;
      return within(
        `${number(slowest.ms, 2)} ms (${slowest.name}), ${number(ratio)} × (${steepest.name})`,
        slowest.ms <= 100,
        ratio <= 15,
      );
    });
  return [ours("worst cases, exact", "epitome"), ours("worst cases, estimate", "epitome estimate")];
}

function agreement(measures) {
  return [
    target("exact counts that differ from tiktoken's", "none", measures, ({ groups }) => {
      const different = sum(groups.map((group) => group.different));
      const texts = sum(groups.map((group) => group.texts));
      return within(`${different} of ${texts.toLocaleString("en")} texts`, different === 0);
    }),
    target(
      "texts on which the exact count throws, those of special tokens included",
      "none",
      measures,
      ({ groups }) => {
        const thrown = sum(groups.map((group) => group.thrown));
        return within(`${thrown}`, thrown === 0);
      },
    ),
  ];
}

/** Every plan of a growing conversation except the first. */
const PLAN = "plan after a message more";

function history(measures) {
  const of = (operation, messages) =>
    measures.rows.find((row) => row.operation === operation && row.messages === messages)?.ms ?? Number.NaN;
  const sizes = [100, 1_000, 10_000, 100_000];
  return [
    target(
      "append a message of 400 characters, and status, at 100 … 100,000 messages",
      "≤ 10 µs; at 100,000 ≤ 1.5 × that at 1,000",
      measures,
      () => {
        const all = sizes.map((messages) => of("append one, and status", messages) * 1000);
        const growth = all[3] / all[1];
        return within(
          `${all.map((us) => number(us)).join(" / ")} µs; ${number(growth, 2)} ×`,
          Math.max(...all) <= 10,
          growth <= 1.5,
        );
      },
    ),
    target("full plan at 100,000 messages, its array included", "≤ 5 ms", measures, () => {
      const [ms, first] = [of(PLAN, 100_000), of("first plan", 100_000)];
      return within(`${number(ms, 2)} ms, the first one ${number(first, 2)}`, ms <= 5, first <= 5);
    }),
    target(
      "full plan at 10,000 messages against trimMessages, which counts contents and calls ÷ 4",
      "≥ 1,000 ×",
      measures,
      () => {
        const ours = of(PLAN, 10_000);
        const [theirs, cheapest] = ["contents and calls ÷ 4", "contents ÷ 4"].map((counter) =>
          of(`trim to 70 %, ${counter}`, 10_000),
        );
        const alone = `${number(cheapest, 0)} ms, ${number(cheapest / ours, 0)} ×`;
        return within(
          `${number(theirs / ours, 0)} × (${number(ours, 3)} ms, ${number(theirs, 0)} ms; contents alone ${alone})`,
          theirs / ours >= 1_000,
        );
      },
    ),
    target("full plan at 10,000 messages against pruneMessages", "≥ 50 ×", measures, () => {
      const [ours, first] = [of(PLAN, 10_000), of("first plan", 10_000)];
      const theirs = of("prune calls before the last 20 messages", 10_000);
      return within(
        `${number(theirs / ours)} × (${number(ours, 3)} ms, the first one ${number(first, 3)}, ${number(theirs)} ms)`,
        theirs / ours >= 50,
      );
    }),
  ];
}
