import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { SETTING_NAMES } from "#scripts/lib/setting-tables.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

const root = resolve(import.meta.dirname, "..");
const TEST_MIGRATIONS = await readD1Migrations(resolve(root, "migrations"));

/** A developer's `.dev.vars` is read too, and must not change a test: an empty value counts as not set. */
const NO_SETTINGS = Object.fromEntries(SETTING_NAMES.map((name) => [name, ""]));

// wrangler.toml names this folder, and the Worker doesn't start without it.
mkdirSync(resolve(root, "dist/assets"), { recursive: true });

/** Far more than any test takes: a busy machine must not fail one. */
const QUICK_MS = 30_000;
/** Servers that are started, killed and started again, and browsers, take their time on a busy machine. */
const SLOW_MS = 120_000;

/** They ask for all that there is, or move the clock of the deployment: nobody else's data may be in their storage. */
const APART = [
  "auth/*",
  "exporters/*",
  "ledger/catalogue/bucket*",
  "ledger/http/lists*",
  "ledger/http/sdk",
  "ledger/http/wire",
  "ledger/objects/migration",
  "ledger/v1/v1",
  "platform/http",
  "platform/storage-full",
  "webhooks/*",
].map((name) => `test/contract/${name}.test.ts`);

/** Vite's word for an import as a text; wrangler and esbuild know the attribute itself. */
const textImports: Plugin = {
  name: "text-imports",
  enforce: "pre",
  transform: (code) =>
    code.replaceAll(/ from "([^"]+)" with \{ type: "text" \}/g, ' from "$1?raw"'),
};

export default defineConfig({
  root,
  test: {
    silent: "passed-only",
    projects: [
      quick("unit"),
      quick("property"),
      contract("contract", { exclude: APART, isolate: false }),
      contract("contract-apart", { include: APART }),
      slow("e2e"),
      slow("long"),
      slow("browser"),
    ],
  },
});

/** A project of tests in Node without anything shared, so that files need no process of their own. */
function quick(name: string) {
  return {
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      testTimeout: QUICK_MS,
      isolate: false,
    },
  };
}

/**
 * A project of tests in workerd. Without isolation its files share Worker and storage, which is twice as fast: each makes
 * its own ledgers with fresh names.
 */
function contract(
  name: string,
  options: { include?: string[]; exclude?: string[]; isolate?: boolean },
) {
  return {
    plugins: [
      textImports,
      cloudflareTest({
        wrangler: { configPath: resolve(root, "wrangler.toml") },
        miniflare: {
          bindings: { ...NO_SETTINGS, ...TEST_SETTINGS, TEST_MIGRATIONS },
          // What a deployment may bind for its exporters.
          queueProducers: { EXPORT_QUEUE: { queueName: "florin-test-exports" } },
          r2Buckets: ["EXPORT_BUCKET"],
        },
      }),
    ],
    test: {
      name,
      include: ["test/contract/**/*.test.ts"],
      testTimeout: QUICK_MS,
      setupFiles: ["test/support/platform/migrate.ts"],
      ...options,
    },
  };
}

/** A project of tests in Node that start whole servers: after the quick ones, a file at a time. */
function slow(name: string) {
  return {
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      globalSetup: "test/support/platform/temporary.ts",
      testTimeout: SLOW_MS,
      hookTimeout: SLOW_MS,
      fileParallelism: false,
      sequence: { groupOrder: 1 },
    },
  };
}
