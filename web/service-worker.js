// Has the page work without a network, from the second visit on. The build bundles it, and lists in FILES what the page needs to
// start, each with its content's hash unless its name has one; and in LANGUAGES the document of each language but English, with its
// catalog.

import { cleanupOutdatedCaches, PrecacheFallbackPlugin, precacheAndRoute } from "workbox-precaching";
import { registerRoute } from "workbox-routing";
import { CacheFirst, NetworkFirst, NetworkOnly } from "workbox-strategies";

/** What the page fetches only when it is asked for it. A new version of the page begins without it. */
const LATER = "later";

const below = (folder) => new URL(folder, self.registration.scope).href;

cleanupOutdatedCaches();
self.addEventListener("activate", (event) => event.waitUntil(caches.delete(LATER).then(keepLanguages)));

/** Keeps the languages that the page is open in, which was fetched before this worker had a say. */
async function keepLanguages() {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = LANGUAGES.filter(([document]) => pages.some(({ url }) => withoutParts(url) === below(document)));
  const cache = await caches.open(LATER);
  // Without a network, the next visit keeps them.
  await cache.addAll(open.flat().map(below)).catch(() => {});
}

function withoutParts(address) {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

// With a network, the page itself is always the server's, so that a new version shows at once. The chat app is not part of it.
const isPage = ({ request, url }) =>
  request.mode === "navigate" && [below("./"), below("index.html")].includes(withoutParts(url));
const offline = new PrecacheFallbackPlugin({ fallbackURL: "index.html" });
registerRoute(isPage, new NetworkOnly({ networkTimeoutSeconds: 3, plugins: [offline] }));

// The same in other languages, each of which is kept once it was opened.
const isTranslated = ({ request, url }) =>
  request.mode === "navigate" && LANGUAGES.some(([document]) => withoutParts(url) === below(document));
registerRoute(isTranslated, new NetworkFirst({ cacheName: LATER, networkTimeoutSeconds: 3, plugins: [offline] }));

precacheAndRoute(FILES, { directoryIndex: null });

registerRoute(({ url }) => url.href.startsWith(below("assets/")), new CacheFirst({ cacheName: LATER }));
// The large ones: what is listed in FILES is answered from there.
registerRoute(({ url }) => url.href.startsWith(below("samples/")), new NetworkFirst({ cacheName: LATER }));
registerRoute(({ url }) => url.href.startsWith(below("encodings/")), new NetworkFirst({ cacheName: LATER }));
