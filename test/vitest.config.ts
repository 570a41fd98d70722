import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import type { InlineConfig } from "vitest/node";
import { COMPILED } from "#scripts/lib/place.ts";
import { SETTING_NAMES } from "#scripts/lib/settings/tables.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";
import { FileOrder } from "#test/support/runner/file-order.ts";
import { TEST_MS_MAX, WAIT_MS_MAX } from "#test/support/runner/patience.ts";

const root = resolve(import.meta.dirname, "..");
/**
 * The migrations, each as one statement, which the local database allows. Every contract test file applies them, and preparing their
 * hundreds of statements takes a call of the runtime for each.
 */
const TEST_MIGRATIONS = (await readD1Migrations(resolve(root, "migrations"))).map(
  ({ name, queries }) => ({ name, queries: [queries.join("\n;\n")] }),
);

/**
 * The packages that contract tests and the Worker import. The runtime asks for each module by a call, so each package is bundled into one
 * module, which takes a seventh of the time of all contract tests. A package that is missing here is loaded file by file.
 */
const BUNDLED = [
  "@formance/formance-sdk",
  "@formance/formance-sdk/lib/http.js",
  "@hono/zod-openapi",
  "@scalar/hono-api-reference",
  "@simplewebauthn/server",
  "croner",
  "csv-parse/sync",
  "csv-stringify/sync",
  "drizzle-orm",
  "drizzle-orm/batch",
  "drizzle-orm/d1",
  "drizzle-orm/sqlite-core",
  "fast-check",
  "hono",
  "hono/cookie",
  "hono/html",
  "hono/router",
  "jose",
  "oauth4webapi",
  "saxes",
  "standardwebhooks",
  "yaml",
  "zod",
];

/** Empty values, which count as unset. A developer's `.dev.vars`, which is also read, then changes no test. */
const NO_SETTINGS = Object.fromEntries(SETTING_NAMES.map((name) => [name, ""]));

// The Worker does not start without this folder, which wrangler.toml names.
mkdirSync(resolve(root, "dist/assets"), { recursive: true });

/** Files of the Worker that contract tests replace, by the name that imports them. */
const STAND_INS = {
  "#platform/arming/isolates.ts": resolve(root, "test/support/deployment/one-isolate.ts"),
  "#modules/auth/people/password-cost.ts": resolve(root, "test/support/auth/password-cost.ts"),
};

/** Tests in Node replace the client that calls the Worker in the process of contract tests by a client of a server. */
const SERVER_API = {
  "#test/support/platform/api.ts": resolve(root, "test/support/runner/server-api.ts"),
};

// The runtime of contract tests runs most of its code a few times only, so that V8's last compiler costs more than it gains: a fifth of all
// processor time. Miniflare hands the flags on.
process.env["MINIFLARE_WORKERD_V8_FLAGS"] ??= "--no-opt";

/** Replaces text imports by Vite's `?raw`; wrangler and esbuild understand the import attribute itself. */
const textImports: Plugin = {
  name: "text-imports",
  enforce: "pre",
  transform: (code) =>
    code.replaceAll(/ from "([^"]+)" with \{ type: "text" \}/g, ' from "$1?raw"'),
};

/** Files of most projects run side by side. On two processors, vitest by default would use only one of them. */
const WORKERS = Math.max(2, availableParallelism());

/** Tests that start servers wait for other programs more than they work. */
const WAITING_WORKERS = WORKERS + 2;

const patience = {
  testTimeout: TEST_MS_MAX,
  hookTimeout: TEST_MS_MAX,
  teardownTimeout: WAIT_MS_MAX,
  expect: { poll: { timeout: WAIT_MS_MAX } },
};

/** The setup that fails a test file when something is logged that no log may show. */
const LOG_CAPTURE = "test/support/platform/logs/log-capture.ts";

/** The setup that makes a folder for the data of a project, and removes it after the last test. */
const TEMPORARY = "test/support/runner/temporary.ts";

/** The setup that starts the server of all files that need no server of their own. */
const SHARED_SERVER = "test/support/runner/start-shared-server.ts";

/** Options for tests that start servers. Most of their time is spent on starts of programs, which are compiled only once. */
const SERVERS: InlineConfig = {
  globalSetup: TEMPORARY,
  env: { NODE_COMPILE_CACHE: COMPILED },
};

/** Options for tests that work all the time, so that no processor waits when they are the last ones. */
const WORKING: InlineConfig = {
  isolate: false,
  setupFiles: LOG_CAPTURE,
  sequence: { groupOrder: 1 },
};

/** Options for tests that measure, or that need the whole machine. */
const ALONE: InlineConfig = { fileParallelism: false, sequence: { groupOrder: 2 } };

export default defineConfig({
  root,
  test: {
    silent: "passed-only",
    sequence: { sequencer: FileOrder },
    reporters: [
      "default",
      "test/support/runner/slowest-files.ts",
      "test/support/payments/client-coverage.ts",
    ],
    projects: [
      contract(),
      // Projects with different numbers of workers run one after the other: those that wait run beside contract tests, which wait, too.
      inNode("e2e", {
        ...SERVERS,
        isolate: false,
        globalSetup: [TEMPORARY, SHARED_SERVER],
        maxWorkers: WAITING_WORKERS,
      }),
      inNode("unit", WORKING),
      inNode("property", WORKING),
      inNode("long", {
        ...SERVERS,
        ...ALONE,
        include: ["long", "property", "unit"].map((name) => `test/${name}/**/*.test.ts`),
        env: { ...SERVERS.env, PROPERTY_RUNS: "all" },
      }),
      inNode("browser", { ...SERVERS, ...ALONE }),
      inNode("package", { ...SERVERS, ...ALONE }),
      inNode("guides", { ...SERVERS, ...ALONE }),
    ],
  },
});

/** A project of tests in Node. Files that share no state run with `isolate: false`, without a process of their own. */
function inNode(name: string, options: InlineConfig) {
  return {
    resolve: { alias: SERVER_API },
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      maxWorkers: WORKERS,
      ...patience,
      ...options,
    },
  };
}

/**
 * A project of tests in workerd. The start of a runtime takes far longer than the tests of a file, so the files of a worker
 * share a runtime, in which each file starts with empty storage.
 */
function contract() {
  return {
    plugins: [
      textImports,
      cloudflareTest({
        wrangler: { configPath: resolve(root, "wrangler.toml") },
        miniflare: {
          bindings: { ...NO_SETTINGS, ...TEST_SETTINGS, TEST_MIGRATIONS },
          // The limit is high, because all tests send from one address.
          ratelimits: {
            PAGE_RATE: { namespace_id: "1001", simple: { limit: 1_000_000, period: 60 } },
          },
          // The database of a deployment that has never got a request.
          d1Databases: ["EMPTY_DB"],
          // Bindings that a deployment may have for its exporters.
          queueProducers: { EXPORT_QUEUE: { queueName: "florin-test-exports" } },
          r2Buckets: ["EXPORT_BUCKET", "FLORIN_BACKUPS"],
        },
      }),
    ],
    resolve: { alias: STAND_INS },
    test: {
      name: "contract",
      deps: { optimizer: { ssr: { enabled: true, include: BUNDLED } } },
      include: ["test/contract/**/*.test.ts"],
      globalSetup: TEMPORARY,
      setupFiles: [LOG_CAPTURE, "test/support/platform/fresh-storage.ts"],
      isolate: false,
      maxWorkers: WORKERS,
      ...patience,
    },
  };
}
