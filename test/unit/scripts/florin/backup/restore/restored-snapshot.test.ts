import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { MANIFEST } from "#platform/backup/saving/manifest.ts";
import { derivedRestorationToken } from "#platform/restoration/token-text.ts";
import type { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { hashOf } from "#scripts/florin/backup/file-hash.ts";
import { restore } from "#scripts/florin/backup/restore/verbs.ts";
import type { Call } from "#scripts/florin/command.ts";
import { releasedBackup } from "#test/support/platform/backup/released-backup.ts";

const SECRET = "a-secret-of-a-client";

/** The token that the server knows, and the stage of its restoration. */
let known = { token: "", stage: "abandoned" };
const server = createServer(({ headers }, response) => {
  const isKnown = headers.authorization === `Bearer ${known.token}`;
  response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
  const failure = { errorCode: "UNAUTHENTICATED", errorMessage: "another token" };
  response.end(JSON.stringify(isKnown ? { data: { id: "one", stage: known.stage } } : failure));
});
await new Promise<void>((resolve) => {
  server.listen(0, "127.0.0.1", resolve);
});
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.close();
});

/** Restores as a command does, which asks nobody. Returns what it has noted, and why it has failed. */
async function restoring(folder: BackupFolder, options: Readonly<Record<string, string>>) {
  const notes: string[] = [];
  const env = { FLORIN_URL: url, FLORIN_CLIENT_ID: "ada", FLORIN_CLIENT_SECRET: SECRET };
  const call: Partial<Call> = {
    env: { ...env, HOME: folder.path },
    url: undefined,
    text: (name) => options[name],
    flag: () => false,
    note: (line) => notes.push(line),
    confirm: () => Promise.reject(new Error("the operator is asked")),
  };
  const last = options["snapshot"] ?? folder.snapshots().at(-1) ?? "";
  // What the verb uses of a call.
  const failure = await restore(call as Call, folder, last).catch((error: unknown) => error);
  return { notes, failure: String(failure) };
}

test("a run goes on with the snapshot that is being restored, although a later one was made meanwhile", async () => {
  const folder = releasedBackup();
  const [begun = ""] = folder.snapshots().slice(-1);
  const sha256 = await hashOf(join(folder.snapshot(begun), MANIFEST));
  known = { token: derivedRestorationToken(SECRET, sha256), stage: "abandoned" };
  const later = "000099-2026-11-28T03-17-00.000Z";
  cpSync(folder.snapshot(begun), folder.snapshot(later), { recursive: true });
  // Another manifest, with another hash.
  const path = join(folder.snapshot(later), MANIFEST);
  writeFileSync(path, `${readFileSync(path, "utf8")} `);

  const { notes, failure } = await restoring(folder, {});
  expect(notes).toEqual([expect.stringContaining(`begun with the snapshot ${begun}`)]);
  expect(failure).toContain("was given up");
  // A snapshot that is named is another one for the server.
  expect(await restoring(folder, { snapshot: later })).toEqual({
    notes: [],
    failure: "Error: the operator is asked",
  });
});
