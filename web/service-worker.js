// Has the page work without a network, from the second visit on. The build bundles it, and lists in FILES what the page needs to
// start, each with its content's hash unless its name has one.

import { cleanupOutdatedCaches, PrecacheFallbackPlugin, precacheAndRoute } from "workbox-precaching";
import { registerRoute } from "workbox-routing";
import { CacheFirst, NetworkFirst, NetworkOnly } from "workbox-strategies";

/** What the page fetches only when it is asked for it. A new version of the page begins without it. */
const LATER = "later";

const below = (folder) => new URL(folder, self.registration.scope).href;

cleanupOutdatedCaches();
self.addEventListener("activate", (event) => event.waitUntil(caches.delete(LATER)));

// With a network, the page itself is always the server's, so that a new version shows at once. The chat app is not part of it.
const isPage = ({ request, url }) =>
  request.mode === "navigate" && [below("./"), below("index.html")].includes(url.origin + url.pathname);
const offline = new PrecacheFallbackPlugin({ fallbackURL: "index.html" });
registerRoute(isPage, new NetworkOnly({ networkTimeoutSeconds: 3, plugins: [offline] }));

precacheAndRoute(FILES, { directoryIndex: null });

registerRoute(({ url }) => url.href.startsWith(below("assets/")), new CacheFirst({ cacheName: LATER }));
registerRoute(({ url }) => url.href.startsWith(below("encodings/")), new NetworkFirst({ cacheName: LATER }));
