import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ROOT } from "#scripts/lib/project.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";
import { WAIT_MS_MAX } from "#test/support/runner/patience.ts";

const folder = freshFolder();
let server: LocalServer;

beforeAll(async () => {
  server = await LocalServer.start(folder);
});
afterAll(() => server.killAll());

const references = async (): Promise<(string | undefined)[]> => {
  const body = { target: "TRANSACTION", ledgers: ["shop"], terms: ["users"] };
  const answer = (await server.json("/api/search/", { body })) as {
    cursor: { data: { reference?: string }[] };
  };
  return answer.cursor.data.map(({ reference }) => reference);
};

test("npm start serves the search, which reads hits from its own API, and rebuilds it by command", async () => {
  await server.json("/api/ledger/v2/shop", { method: "POST" });
  const postings = [{ source: "world", destination: "users:1", amount: 1, asset: "EUR/2" }];
  const body = { reference: "order-1", postings };
  await server.json("/api/ledger/v2/shop/transactions", { body });
  const isFound = async () => expect(await references()).toEqual(["order-1"]);
  await vi.waitFor(isFound, { timeout: WAIT_MS_MAX });
  const florin = async (...args: readonly string[]): Promise<string> => {
    const env = { ...process.env, FLORIN_STATE_DIR: folder };
    const options = { cwd: ROOT, env };
    const command = ["scripts/florin.ts", "search", ...args];
    return (await promisify(execFile)(process.execPath, command, options)).stdout;
  };
  expect(await florin("rebuild", "--wait")).toBe("The new index serves.\n");
  expect(await florin("state")).toContain("Nothing is behind.");
  await isFound();
});
