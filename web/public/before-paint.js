// Runs before the first paint. A file of its own, because the page's security policy allows no script inside the page.

// The theme that was chosen last time, so that nothing flashes.
try {
  const theme = localStorage.getItem("epitome-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {}

// Each language has a document of its own. The English one is where visits begin, and goes to the language that was chosen last time.
try {
  const { pathname, search, hash } = location;
  const chosen = { he: "he.html", zh: "zh.html" }[localStorage.getItem("epitome-language")];
  // At any other address, the English document stands in for one that is out of reach.
  if (chosen !== undefined && document.documentElement.lang === "en" && /\/(index\.html)?$/.test(pathname)) {
    document.documentElement.dataset.leaving = "";
    location.replace(chosen + search + hash);
  }
} catch {}

// What the page shows first is a sample. On a later visit it may be another conversation, or other settings.
try {
  const kept = localStorage.getItem("epitome-conversations") ?? "[]";
  if (kept !== "[]" || localStorage.getItem("epitome-settings") !== null) document.documentElement.dataset.visited = "";
} catch {}

// Where the browser has Trusted Types, markup that could run a script is refused, and every script but the service worker. The
// framework makes elements of the templates in this page's own code, which contain none; texts of messages never become
// markup.
globalThis.trustedTypes?.createPolicy("default", {
  createHTML(markup) {
    if (/<\s*(script|iframe|object|embed|base|link|meta|form)|\son[a-z]+\s*=|javascript:|srcdoc/i.test(markup)) {
      throw new TypeError("this markup could run a script, which this page does not do");
    }
    return markup;
  },
  createScriptURL(address) {
    if (address !== "service-worker.js") throw new TypeError("this page runs no other script");
    return address;
  },
});
