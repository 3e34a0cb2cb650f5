import { defineConfig } from "vite";

// The server to talk to while developing: `maxtile serve --port 8048`, then `npm run dev`.
const server = "http://127.0.0.1:8048";

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    // The content-security policy of the server allows no inline script and no data: address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: { proxy: { "/api": server } },
});
