import { defineConfig } from "vitest/config";

export default defineConfig({
  define: { __EVALKIT_VERSION__: JSON.stringify(process.env.npm_package_version ?? "test") },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
