// Starts the app, once the browser has drawn what the page shows until then: what is fetched here is larger than all of that.

import module from "page/glue/page_bg.wasm?url";

requestAnimationFrame(() => setTimeout(start));

async function start() {
  try {
    const [{ default: run }, response] = await Promise.all([import("page/glue/page.js"), fetch(module)]);
    await run({ module_or_path: response });
  } catch (error) {
    const problem = document.getElementById("start-problem");
    problem.textContent = `The page could not be started: ${error.message}. Reload it, or open it in a newer browser.`;
    problem.hidden = false;
  }
}

// After the page is there, since it fetches the page's files once more.
if (import.meta.env.PROD && "serviceWorker" in navigator) {
  addEventListener("load", () => navigator.serviceWorker.register("service-worker.js"));
}
