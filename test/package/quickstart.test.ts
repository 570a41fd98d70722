import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { ROOT } from "#scripts/lib/project.ts";
import { GUIDES, outputOf, programOf } from "#test/support/guides/pages.ts";
import { inBlocks } from "#test/unit/scripts/markdown.ts";

/**
 * Follows the quickstart and the guides by the letter, as somebody who has only Node and npm: in a fresh clone, with a fresh home, and with no
 * variable of this checkout. The port is a free one, because the standard one may be taken.
 */
const clone = join(mkdtempSync(join(tmpdir(), "florin-quickstart-")), "florin");
const home = mkdtempSync(join(tmpdir(), "florin-home-"));
const env = { HOME: home, LANG: "C", PATH: "/usr/local/bin:/usr/bin:/bin", PORT: "0" };

let server: ChildProcess;
let said = "";

/** The shell blocks of the page: what starts the server, and what the second shell does. */
const [start = "", second = ""] = inBlocks(
  readFileSync(join(ROOT, "docs/quickstart.md"), "utf8"),
  "sh",
);

/** Runs a program to its end in the clone; returns what it prints. Throws if it fails. */
function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: clone,
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ends with ${status}: ${stderr}`);
  return stdout;
}

beforeAll(async () => {
  const made = spawnSync("git", ["clone", "--quiet", ROOT, clone], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(made.stderr);
  server = spawn("sh", ["-e", "-c", start], {
    cwd: clone,
    env,
    detached: true, // so that the signal at the end reaches the server, and not only the shell
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ready = Promise.withResolvers<void>();
  server.stdout?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (said.includes("Florin is ready")) ready.resolve();
  });
  server.once("exit", (code) => ready.reject(new Error(`${start} ends with ${code}: ${said}`)));
  await ready.promise;
});

afterAll(async () => {
  if (server.exitCode !== null) return;
  const ended = once(server, "exit");
  process.kill(-present(server.pid, "the server was started"), "SIGINT");
  await ended;
  server.stdout?.destroy();
});

test("the quickstart leads from a clone to the balance that it promises", () => {
  const answers = run("sh", ["-e", "-c", second]).split("\n").filter(Boolean);
  expect(JSON.parse(answers.at(-1) ?? "")).toMatchObject({
    data: { volumes: { "EUR/2": { balance: 970 } } },
  });
});

test.each(GUIDES)(
  "the TypeScript of the guide %s prints in the clone what the guide says",
  (guide) => {
    writeFileSync(join(clone, `${guide}.ts`), programOf(guide, "ts"));
    expect(run("node_modules/.bin/node", [`${guide}.ts`])).toBe(outputOf(guide));
  },
);

test("the server has the guide, and each link of its pages to another page leads to one", async () => {
  const { url } = JSON.parse(readFileSync(join(clone, ".florin/server.json"), "utf8")) as {
    url: string;
  };
  const seen = new Set<string>();
  const waiting = ["/guide/"];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const answer = await fetch(`${url}${path}`);
    expect.soft(answer.status, path).toBe(200);
    for (const [, link = ""] of (await answer.text()).matchAll(/href="(\/guide\/[^"#?]*)/g))
      if (!/\.\w+$/.test(link) || link.endsWith(".html")) waiting.push(link);
  }
  expect(seen.size).toBeGreaterThan(20);
});
