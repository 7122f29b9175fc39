// How Vite builds the page: `cargo xtask` compiles its wasm module first, and says in EPITOME_GLUE where that is.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build as rolldown } from "rolldown";
import { defineConfig } from "vite";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Copies the vocabularies of the package, which the page fetches when it is to count exactly. */
const vocabularies = {
  name: "vocabularies",
  async writeBundle({ dir }) {
    await cp(here("../crates/epitome-wasm/npm/encodings"), `${dir}/encodings`, { recursive: true });
  },
};

/** Runs before the scripts of a page of the reference, in place of the script that TypeDoc writes into each of them. */
const REFERENCE_SCRIPT = `// The policy of the server admits no markup that is made by scripts, but by this one. These pages show nothing from outside.
if (window.trustedTypes !== undefined) trustedTypes.createPolicy("default", { createHTML: (markup) => markup });
document.documentElement.dataset.theme = localStorage.getItem("tsd-theme") || "os";
`;

/** By this, TypeDoc writes a style into the page, which stays empty without filters. The policy refuses it all the same. */
const STYLE_IN_PAGE = 'document.head.appendChild(document.createElement("style"))';

/** Copies the reference of the package, if it is written, as pages that run under the policy of the server. */
const reference = {
  name: "reference",
  async writeBundle({ dir }) {
    const written = here("../crates/epitome-wasm/npm/dist/docs");
    if (!existsSync(written)) return;
    await cp(written, `${dir}/docs`, { recursive: true });
    await writeFile(`${dir}/docs/assets/policy.js`, REFERENCE_SCRIPT);
    const main = `${dir}/docs/assets/main.js`;
    await writeFile(main, replaced(await readFile(main, "utf8"), STYLE_IN_PAGE, 'document.createElement("style")'));
    for (const name of await readdir(written, { recursive: true })) {
      if (!name.endsWith(".html")) continue;
      const html = await readFile(`${written}/${name}`, "utf8");
      const base = /data-base="([^"]*)"/.exec(html)?.[1] ?? "";
      const script = `<script src="${base}assets/policy.js"></script>`;
      const icon = `<link rel="icon" type="image/svg+xml" href="${base}../icon.svg" /></head>`;
      await writeFile(
        `${dir}/docs/${name}`,
        html.replace(/<script>[^<]*<\/script>/, () => script).replace("</head>", () => icon),
      );
    }
  },
};

/** The documents of the page: `index.html` is in English, and each other language has one beside it. */
const LANGUAGES = [
  { code: "en", dir: "ltr", document: "index.html", recorded: "recorded.html" },
  { code: "he", dir: "rtl", document: "he.html", recorded: "recorded.he.html" },
  { code: "zh", dir: "ltr", document: "zh.html", recorded: "recorded.zh.html" },
];

const MANIFEST = "manifest.webmanifest";

/** What `index.html` says by itself, in another language. */
const wordsOf = (t) => [
  t("See how full a model’s context window is, what a compaction would do, and do it."),
  t("epitome – context compaction"),
  t("The texts of this page could not be fetched, so it is in English. Reload it to try again."),
  t("This page runs an engine in your browser and needs JavaScript for that."),
];

/** Makes the documents, each with what the app shows first, so that it is there before the app. */
const documents = {
  name: "documents",
  generateBundle: {
    order: "post",
    async handler(_, bundle) {
      const links = LANGUAGES.map(({ code, document }) => {
        const address = document === "index.html" ? "./" : document;
        return `<link rel="alternate" hreflang="${code}" href="${address}" />\n    `;
      });
      const template = bundle["index.html"].source.replace("</head>", (end) => `  ${links.join("").trim()}\n  ${end}`);
      for (const language of LANGUAGES) {
        const source = await documentIn(language, template);
        if (language.document === "index.html") {
          bundle["index.html"].source = source;
        } else {
          this.emitFile({ type: "asset", fileName: language.document, source });
          const manifest = JSON.stringify(await manifestIn(language));
          this.emitFile({ type: "asset", fileName: manifestOf(language), source: manifest });
        }
      }
    },
  },
};

/** The name of the file that says how the page is installed. */
const manifestOf = ({ code }) => (code === "en" ? MANIFEST : MANIFEST.replace(".", `.${code}.`));

/** How the page is installed in a language: it opens in that language. */
async function manifestIn({ code, dir, document }) {
  const manifest = JSON.parse(await readFile(here(`public/${MANIFEST}`), "utf8"));
  const [description, name] = await translatedWords(code);
  return { ...manifest, name, description, lang: code, dir, start_url: `./${document}` };
}

async function translatedWords(code) {
  const catalog = code === "en" ? { texts: {} } : JSON.parse(await readFile(here(`languages/${code}.json`), "utf8"));
  return wordsOf((words) => catalog.texts[words] ?? words);
}

async function documentIn(language, template) {
  const { code, dir, recorded } = language;
  const translated = await translatedWords(code);
  let html = replaced(template, '<html lang="en" dir="ltr">', `<html lang="${code}" dir="${dir}">`);
  html = replaced(html, MANIFEST, manifestOf(language));
  for (const [index, words] of wordsOf((words) => words).entries()) {
    html = replaced(html, words, translated[index]);
  }
  const file = here(`first-paint/${recorded}`);
  return replaced(html, "<!-- recorded.html -->", existsSync(file) ? await readFile(file, "utf8") : "");
}

/** The text with other words in the place of the only occurrence of these. */
function replaced(text, words, others) {
  if (text.split(words).length !== 2) throw new Error(`this should be there once: ${words}`);
  return text.replace(words, () => others);
}

/** The largest sample that is kept before somebody has opened it, in bytes. */
const LARGEST_KEPT_SAMPLE = 65_536;

/** The files that the page needs to start, and small samples, as its service worker keeps them. */
async function filesToKeep(folder, bundle) {
  const entry = Object.values(bundle).find(({ isEntry }) => isEntry);
  const started = [entry, ...entry.dynamicImports.map((name) => bundle[name])];
  const needed = new Set(started.flatMap(({ fileName, imports }) => [fileName, ...imports]));
  for (const { viteMetadata } of started) {
    for (const name of [...viteMetadata.importedAssets, ...viteMetadata.importedCss]) needed.add(name);
  }
  const later = new Set(languageFiles(bundle).flat());
  const isNeeded = (name) => (name.startsWith("assets/") ? needed.has(name) : !/^(encodings|docs)\//.test(name) && name.includes("."));
  const isKept = (name) => isNeeded(name) && !later.has(name);
  const candidates = (await readdir(folder, { recursive: true })).filter(isKept).sort();
  const sizes = await Promise.all(candidates.map((name) => stat(`${folder}/${name}`)));
  const kept = candidates.filter((name, place) => !name.startsWith("samples/") || sizes[place].size <= LARGEST_KEPT_SAMPLE);
  const revision = async (name) => createHash("sha256").update(await readFile(`${folder}/${name}`)).digest("hex");
  return Promise.all(
    kept.map(async (url) => ({ url, revision: url.startsWith("assets/") ? null : await revision(url) })),
  );
}

/** The document of each language but English, with its manifest and its catalog. They are kept for those who use them. */
function languageFiles(bundle) {
  const assets = Object.values(bundle).filter(({ type }) => type === "asset");
  return LANGUAGES.filter(({ code }) => code !== "en").map((language) => {
    const { code, document } = language;
    const catalog = assets.find(({ originalFileNames = [] }) => originalFileNames.includes(`languages/${code}.json`));
    if (catalog === undefined) throw new Error(`the build has no catalog for ${code}`);
    return [document, manifestOf(language), catalog.fileName];
  });
}

/** Bundles the service worker. It comes last, since it lists the other files. */
const offline = {
  name: "offline",
  writeBundle: {
    order: "post",
    sequential: true,
    async handler({ dir }, bundle) {
      const files = await filesToKeep(dir, bundle);
      await rolldown({
        input: here("service-worker.js"),
        transform: {
          define: {
            FILES: JSON.stringify(files),
            LANGUAGES: JSON.stringify(languageFiles(bundle)),
            "process.env.NODE_ENV": '"production"',
          },
        },
        output: { file: `${dir}/service-worker.js`, format: "iife", minify: true },
      });
    },
  },
};

// Relative addresses, so that it can be served below any path.
export default defineConfig({
  root: here("."),
  base: "./",
  resolve: {
    alias: {
      "page/glue": process.env.EPITOME_GLUE ?? here("../target/page-glue"),
      "page/storage.js": here("storage.js"),
      "page/lab.js": here("lab.js"),
      "page/sessions.js": here("sessions.js"),
      "page/instantiate.js": here("instantiate.js"),
      "page/chrome.js": here("chrome.js"),
      "page/language.js": here("language.ts"),
    },
  },
  build: {
    outDir: here("../dist"),
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // In kilobytes. The Lab has LangChain in it.
    chunkSizeWarningLimit: 1_024,
  },
  plugins: [documents, vocabularies, reference, offline],
});
