import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { inProject, ROOT } from "#scripts/lib/project.ts";
import { sharedFolder } from "#test/support/runner/shared-server.ts";

const LINES_MAX = 10;

/** The README's commands from a ready server to the first transaction. */
const [, lines = ""] =
  /## Your first transaction\n.*?```sh\n(.*?)```/s.exec(
    readFileSync(inProject("README.md"), "utf8"),
  ) ?? [];

test("the quickstart has the lines of the README", () => {
  expect(readFileSync(inProject("docs/quickstart.md"), "utf8")).toContain(lines);
});

test("the lines of the README lead to a first transaction", async () => {
  expect(lines.trim().split("\n").length).toBeLessThanOrEqual(LINES_MAX);
  const env = { ...process.env, FLORIN_STATE_DIR: sharedFolder() };
  const { stdout } = await promisify(execFile)("sh", ["-e", "-c", lines], { cwd: ROOT, env });
  const answers = stdout.split("\n").filter((line) => line !== "");
  expect(answers.map((answer): unknown => JSON.parse(answer))).toMatchObject([
    { data: { postings: [{ destination: "users:42", amount: 1500 }] } },
    {
      data: {
        postings: [
          { destination: "fees", amount: 30 },
          { destination: "shops:7", amount: 970 },
        ],
      },
    },
    { data: { volumes: { "EUR/2": { balance: 970 } } } },
  ]);
});
