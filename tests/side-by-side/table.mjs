// Writes bench/LOOPS.md: what other packages and this one do to recorded tool loops.
//
//   npm run side-by-side --workspace tests      after `cargo xtask package`, with recordings; three minutes

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AppLoader } from "../../crates/xtask/src/size/app-loader.mjs";
import { candidates } from "./candidates.mjs";
import { compare } from "./comparing.mjs";
import { recordedLoops } from "./loops.mjs";

const { devDependencies: versions } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const PACKAGES = ["ai", "@context-chef/ai-sdk-middleware", "langchain", "epitome"];

const number = (value) => value.toLocaleString("en");

/** Kilobytes that an app loads of each candidate that is a package. */
async function weigh() {
  const app = await AppLoader.of(fileURLToPath(new URL("..", import.meta.url)));
  const weights = new Map();
  try {
    for (const { name, load } of candidates.filter(({ load }) => load !== undefined)) {
      const files = await app.filesOf({ code: `globalThis.used = ${load.uses};`, ...load });
      weights.set(name, [...files.values()].reduce((sum, { brotli }) => sum + brotli, 0) / 1_000);
    }
  } finally {
    app.remove();
  }
  return weights;
}

const loops = recordedLoops();
if (loops.length === 0) {
  throw new Error("there are no recorded loops: set EPITOME_DATA to the folder with the recordings");
}
const weights = await weigh();
const rows = await compare(loops, candidates, (text) => console.error(text));
const failures = rows.flatMap(({ name, failures }) => failures.map((failure) => `- ${name}: ${failure}`));

writeFileSync(
  new URL("../../bench/LOOPS.md", import.meta.url),
  `# Tool loops, side by side

\`npm run side-by-side --workspace tests\` writes this page, after \`cargo xtask package\`, from ${loops.length} recorded tool loops.
${PACKAGES.map((name) => `${name} ${versions[name]}`).join(", ")}.

Each loop is played again in the loop of the SDK: a scripted model gives the recorded answers, and the tools give the recorded results. The
window has room for two fifths of what a loop has besides its system prompt. Packages that know a window compact from three quarters of it on, and
keep two fifths of it word for word. For those that ask a model, the model's summary is made of quotes, by the summarizer of this
package, in a tenth of the window.

- **Refused**: requests that break the contract of Chat Completions, by the tests' own check.
- **Over the window**: requests of more tokens than the window has.
- **Tokens**: of all requests, those to a summarizing model included.
- **Facts**: of the URLs, paths, packages, identifiers, quotes, names and numbers of all messages before a request, as receipts list them, the
  share that its prompt still has. A request that is refused or over the window has none. At twelve requests of the second half of each loop; the mean
  over loops.
- **Loaded**: in brotli, what an app loads of the package until the first compaction.

| | requests | refused | over the window | tokens | facts | loaded, kB |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
${rows
  .map(({ name, requests, refused, overWindow, tokens, kept }) => {
    const loaded = weights.get(name)?.toFixed(0) ?? "";
    return `| ${name} | ${number(requests)} | ${refused} | ${overWindow} | ${number(tokens)} | ${(kept * 100).toFixed(1)} % | ${loaded} |`;
  })
  .join("\n")}

${failures.length === 0 ? "Every loop was played to its end by all of them." : `Loops that ended early:\n\n${failures.join("\n")}`}
\`pruneMessages\` has the settings of the example in its documentation, on all messages before each request. The policy that is as short is
\`{ window: Math.min(window, 20_000), trigger: { fraction: 0.65 }, target: 0.55, keep: { fraction: 0.3 } }\`; the other rows of epitome
have a window only. \`withContextChef\` changes a request and not the messages of the app, so each of them is summarized again.
`,
);
