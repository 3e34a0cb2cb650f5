import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts"],
    environment: "node",
    setupFiles: ["src/test_setup.ts"],
    // One worker: the tests take a second, processes to isolate them take longer.
    pool: "threads",
    fileParallelism: false,
    isolate: false,
  },
});
