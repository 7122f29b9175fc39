// How Vite builds the chat app.

import { defineConfig } from "vite";

// Relative addresses, so that it can be served below any path.
export default defineConfig({
  base: "./",
  build: { target: "es2022", modulePreload: { polyfill: false } },
  server: { proxy: { "/v1": "http://127.0.0.1:8080" } },
});
