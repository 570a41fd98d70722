import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CONNECTOR_KINDS } from "#modules/payments/connectors/index.ts";
import { withConnectorTable } from "#scripts/lib/connectors/connector-table.ts";
import { newConnector, withKind } from "#scripts/lib/connectors/new-connector.ts";
import { inProject } from "#scripts/lib/project.ts";

const VITEST = inProject("node_modules/vitest/vitest.mjs");
const LIST = "src/modules/payments/connectors/index.ts";

describe("a new connector", () => {
  /** The folder of a project that shares the sources of this project and has a new connector. */
  let root: string;
  let files: string[];
  beforeAll(() => {
    mkdirSync(inProject("dist"), { recursive: true });
    root = mkdtempSync(inProject("dist/new-connector-"));
    mkdirSync(join(root, "src/modules/payments/connectors"), { recursive: true });
    copyFileSync(inProject(LIST), join(root, LIST));
    symlinkSync(inProject("."), join(root, "project"));
    const imports = {
      "#modules/payments/connectors/acmepay/*": "./src/modules/payments/connectors/acmepay/*",
      "#test/support/psp/acmepay.ts": "./test/support/psp/acmepay.ts",
      "#modules/*": "./project/src/modules/*",
      "#platform/*": "./project/src/platform/*",
      "#test/*": "./project/test/*",
    };
    writeFileSync(join(root, "package.json"), JSON.stringify({ type: "module", imports }));
    files = newConnector(root, "acmepay");
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test("a new connector has the files that each connector has, under its own name", () => {
    const folder = "src/modules/payments/connectors/acmepay";
    const names =
      "README.md accounts.ts balances.ts client.ts config.ts index.ts payments.ts transfers.ts webhooks.ts";
    expect(files.toSorted()).toEqual([
      ...names.split(" ").map((name) => `${folder}/${name}`),
      "test/support/psp/acmepay.ts",
      "test/unit/payments/connectors/acmepay.test.ts",
    ]);
    const texts = files.map((file) => readFileSync(join(root, file), "utf8")).join("\n");
    expect(texts).toContain("export const acmepayKind: kit.ConnectorKind");
    expect(texts).not.toMatch(/example(?!\/v1)|connector-template/i);
  });

  test("a new connector is in the list of kinds, in the order of names", () => {
    const list = readFileSync(join(root, LIST), "utf8");
    expect(list).toContain('import { acmepayKind } from "./acmepay/index.ts";');
    expect(list).toContain("[acmepayKind, ");
    const kinds = "CONNECTOR_KINDS: readonly ConnectorKind[] = [\n  bKind,\n  dKind,\n]";
    expect(withKind(kinds, "c")).toContain("[bKind, cKind, dKind]");
  });

  test("a new connector has a suite that is red, and all of its files load", () => {
    const { VITEST: _vitest, VITEST_MODE: _mode, ...env } = process.env;
    const written = join(root, "report.json");
    const where = ["--root", root, "--dir", join(root, "test")];
    spawnSync(
      process.execPath,
      [VITEST, "run", ...where, "--reporter=json", `--outputFile=${written}`],
      { timeout: 120_000, env: { ...env, NODE_ENV: "test" } },
    );
    const report = JSON.parse(readFileSync(written, "utf8")) as {
      numPassedTests: number;
      numFailedTests: number;
      testResults: { message: string }[];
    };
    expect(report.testResults.map(({ message }) => message)).toEqual([""]);
    expect(report.numPassedTests).toBeGreaterThan(10);
    expect(report.numFailedTests).toBeGreaterThan(10);
  });

  test("a new connector is not made twice, nor under a name that paths cannot have", () => {
    expect(() => newConnector(root, "acmepay")).toThrow("already");
    for (const name of ["", "a", "Acme", "acme-pay", "../acme"]) {
      expect(() => newConnector(root, name)).toThrow("no name of a connector");
    }
  });
});

test("the page about connectors has the table of those that there are", () => {
  const page = readFileSync(inProject("docs/connectors.md"), "utf8");
  expect(withConnectorTable(page, CONNECTOR_KINDS), "run npm run connector:docs").toBe(page);
});
