// Starts the app, once the browser has drawn what the page shows until then: what is fetched here is larger than all of that.

import module from "page/glue/page_bg.wasm?url";
import { setLanguage, t } from "./language.ts";
import hebrew from "./languages/he.json?url&no-inline";
import chinese from "./languages/zh.json?url&no-inline";

/** The catalog of each language but English. */
const catalogs = { he: hebrew, zh: chinese };

requestAnimationFrame(() => setTimeout(start));

// Search engines want the whole address of each translation, and a build does not know where it will be served.
for (const link of document.querySelectorAll("link[hreflang]")) link.setAttribute("href", link.href);

async function start() {
  try {
    const [{ default: run }, response] = await Promise.all([import("page/glue/page.js"), fetch(module), useLanguage()]);
    await run({ module_or_path: response });
  } catch (error) {
    const problem = document.getElementById("start-problem");
    const { message } = error;
    problem.textContent = t("The page could not be started: {message}. Reload it, or open it in a newer browser.", { message });
    problem.hidden = false;
  }
}

/** Fetches the texts in the language of this document. Without them the page is in English, and the document says why. */
async function useLanguage() {
  const root = document.documentElement;
  const address = catalogs[root.lang];
  if (address === undefined) return;
  try {
    const response = await fetch(address);
    if (!response.ok) throw new Error(response.statusText);
    setLanguage(root.lang, await response.text());
  } catch {
    const problem = document.getElementById("language-problem");
    [problem.lang, problem.dir, problem.hidden] = [root.lang, root.dir, false];
    [root.lang, root.dir] = ["en", "ltr"];
  }
}

// After the page is there, since it fetches the page's files once more.
if (import.meta.env.PROD && "serviceWorker" in navigator) {
  addEventListener("load", () => navigator.serviceWorker.register("service-worker.js"));
}
