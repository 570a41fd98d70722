import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { inProject, ROOT } from "#scripts/lib/project.ts";
import { sharedFolder, sharedServer } from "#test/support/runner/shared-server.ts";

const PAGE = readFileSync(inProject("docs/clients.md"), "utf8");

/** The blocks of the page in a language, as one program. */
const blocks = (language: string): string =>
  [...PAGE.matchAll(/^```(\w+)\n(.*?)^```/gms)]
    .flatMap(([, name, text = ""]) => (name === language ? [text] : []))
    .join("\n");

/** The TypeScript of the page, in the project's folder, where its packages are found. */
const program = inProject(`clients-page-${process.pid}.ts`);

afterAll(() => rmSync(program, { force: true }));

const run = async (command: string, args: readonly string[]): Promise<string> => {
  const env = {
    ...process.env,
    FLORIN_STATE_DIR: sharedFolder(),
    SERVER_FILE: join(sharedFolder(), "server.json"),
  };
  return (await promisify(execFile)(command, args, { cwd: ROOT, env })).stdout;
};

test("the shell blocks of the page make clients and send what the Terraform provider sends", async () => {
  const lines = (await run("sh", ["-e", "-c", blocks("sh")])).trim().split("\n");
  expect(lines).toEqual([
    expect.stringMatching(/^client_id = organization_[0-9a-f-]{36}$/) as unknown,
    "204",
    "401",
    `${sharedServer().url}/api/auth/device`,
  ]);
});

test("the TypeScript of the page works with the official SDK", async () => {
  writeFileSync(program, blocks("ts"));
  expect(await run("node", [program])).toMatch(/^\S+( \S+)*\n$/);
  await sharedServer().json("/api/ledger/v2/from-typescript"); // The list has the newest ledgers of all files on the server.
});
