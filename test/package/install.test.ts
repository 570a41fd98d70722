import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import {
  install,
  type Installed,
  installNode,
  pack,
  runIn,
} from "#test/support/package/installed.ts";

/** These tests install the package as users do, with its dependencies and several versions of Node, from npm's registry. */
const OLD = "20.11.0";
/** The oldest version that the library works with, and the one that the server works with. */
const LIBRARY_MIN = "22.13.0";
const CURRENT = "24.21.0";
const PAGE = resolve(import.meta.dirname, "../../docs/embedded-ledger.md");

const folder = mkdtempSync(join(tmpdir(), "florin-package-"));
const nodes = new Map<string, string>();
let tarball: string;
let installed: Installed;

beforeAll(() => {
  tarball = pack(folder);
  installed = install(tarball);
  for (const version of [OLD, LIBRARY_MIN, CURRENT])
    nodes.set(version, installNode(version, folder));
});

const nodeOf = (version: string): string => present(nodes.get(version), "the version is installed");

describe.each([OLD, CURRENT])("the server on Node %s", (version) => {
  test(`the server on Node ${version} starts, plays the demo, keeps a transaction, and ends`, async () => {
    rmSync(join(installed.folder, ".florin"), { recursive: true, force: true });
    const server = spawn(nodeOf(version), [installed.command, "start"], {
      cwd: installed.folder,
      env: { HOME: process.env["HOME"] ?? "/", PATH: "/usr/local/bin:/usr/bin:/bin", PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      await readiness(server);
      const demo = runIn(installed.folder, nodeOf(version), [installed.command, "demo"]);
      expect([demo.status, demo.stdout]).toEqual([
        0,
        expect.stringMatching(/All \d+ checks passed/),
      ]);
      const [, ledger] = /\/ledgers\/(\S+)\/overview/.exec(demo.stdout) ?? [];
      const verify = [installed.command, "ledger", "verify", present(ledger, "the demo names it")];
      expect(runIn(installed.folder, nodeOf(version), verify).status).toBe(0);
    } finally {
      server.kill("SIGTERM");
      expect((await once(server, "exit"))[0]).toBe(0);
    }
  });
});

/** Resolves when a server says that it is ready. */
async function readiness(server: ChildProcess): Promise<void> {
  let text = "";
  for await (const part of present(server.stdout, "the output is a pipe")) {
    text += String(part);
    if (text.includes("Ctrl-C stops it.")) return;
  }
  throw new Error(`the server ended: ${text}`);
}

describe("the library", () => {
  const blocks = [...readFileSync(PAGE, "utf8").matchAll(/```js\n(.*?)```/gs)].map(
    ([, block = ""]) => block,
  );

  test.each([LIBRARY_MIN, CURRENT])("the library runs its page on Node %s", (version) => {
    expect(blocks.length).toBeGreaterThanOrEqual(3);
    for (const [index, block] of blocks.entries()) {
      writeFileSync(join(installed.folder, `example-${index}.mjs`), block);
      const args = ["--no-warnings", `example-${index}.mjs`];
      const { status, stderr } = runIn(installed.folder, nodeOf(version), args);
      expect([status, stderr]).toEqual([0, ""]);
    }
  });

  test(`the library says in one sentence what Node ${OLD} lacks`, () => {
    writeFileSync(join(installed.folder, "import.mjs"), 'import "florin/ledger";');
    const { status, stderr } = runIn(installed.folder, nodeOf(OLD), ["import.mjs"]);
    expect(status).toBe(1);
    expect(stderr).toContain(
      `Error: A ledger needs SQLite in Node, which Node 22.13 and later have; this is Node ${OLD}.`,
    );
  });
});

test("without install scripts, the command says on an old Node what to do, and runs on a new one", () => {
  const bare = install(tarball, ["--ignore-scripts"]);
  const old = runIn(bare.folder, nodeOf(OLD), [bare.command, "start"]);
  expect([old.status, old.stdout]).toEqual([1, ""]);
  expect(old.stderr).toContain(`Florin needs Node 24; this is ${OLD}.`);
  expect(old.stderr).toContain("npm rebuild node");
  const current = runIn(bare.folder, nodeOf(CURRENT), [bare.command, "start", "--help"]);
  expect([current.status, current.stderr]).toEqual([0, ""]);
});
