import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

const FOLDER = resolve(import.meta.dirname, "../../contract/payments");

/** Outcomes that an operation cannot have, with the reason. */
const IMPOSSIBLE = new Map([
  ["v1.getServerInfoPayments error", "it takes no parameter and needs no token"],
  ...[
    "connectorsTransfer",
    "getConnectorTask",
    "listConnectorTasks",
    "readConnectorConfig",
    "resetConnector",
    "uninstallConnector",
  ].map((name) => [`v1.${name} ok`, "it names no connector, and is not served"] as const),
]);

/**
 * Fails a run of all contract tests of payments if an operation of the official client was not called with success, or not with
 * an error whose code a test read. A run of some of these tests is not judged.
 */
export default class ClientCoverage implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const ran = modules.filter(({ moduleId }) => moduleId.startsWith(`${FOLDER}/`));
    const files = readdirSync(FOLDER).filter((name) => name.endsWith(".test.ts"));
    if (ran.length < files.length || !ran.every(isWhole)) return;
    const called = new Set(ran.flatMap((module) => module.meta().sdkCalls ?? []));
    const missing = (await expectedCalls()).filter((call) => !called.has(call));
    if (missing.length === 0) return;
    process.stderr.write(`No contract test of payments calls: ${missing.join(", ")}\n`);
    process.exitCode = 1;
  }
}

/** Whether all tests of a file have run and passed. */
const isWhole = (module: TestModule): boolean =>
  module.ok() && [...module.children.allTests("skipped")].length === 0;

/** The expected calls: a success and an error of each operation of the client. */
async function expectedCalls(): Promise<string[]> {
  const { SDK } = await import("@formance/formance-sdk");
  const { v1, v3 } = new SDK({}).payments;
  return Object.entries({ v1, v3 })
    .flatMap(([generation, client]) => operationsOf(client).map((name) => `${generation}.${name}`))
    .flatMap((operation) => [`${operation} ok`, `${operation} error`])
    .filter((call) => !IMPOSSIBLE.has(call));
}

const operationsOf = (client: object): string[] =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(client)).filter(
    (name) => name !== "constructor",
  );
