import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { BackupManifest, SnapshotLedger } from "#platform/backup/saving/backup-manifest.ts";
import { DatabaseManifest } from "#platform/backup/saving/manifest.ts";
import { parseJson } from "#platform/json.ts";
import { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { readBackupManifest } from "#scripts/florin/backup/backup-manifest.ts";
import { readParts } from "#scripts/florin/backup/ledgers/ledger-parts.ts";
import type { LocalSecrets } from "#scripts/lib/state.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";
import { commandLine, runCommandLine } from "#test/support/runner/command-line.ts";

const folder = freshFolder();
const saved = join(freshFolder(), "saved");
let server: LocalServer;

beforeAll(async () => {
  server = await LocalServer.start(folder);
});
afterAll(() => server.stop());

/** Time between two writes of a client, in milliseconds. What is written is read back, so that more of it only takes longer. */
const PAUSE_MS = 50;

const env = { FLORIN_STATE_DIR: folder };
const florin = commandLine(env);

const backup = (...args: readonly string[]): Promise<string> => florin("backup", ...args);

/** What a command prints that fails. */
async function failureOf(...args: readonly string[]): Promise<string> {
  const { code, output, notes } = await runCommandLine(env, ["backup", ...args]);
  expect(code).not.toBe(0);
  return output + notes;
}

const manifestOf = (): DatabaseManifest =>
  DatabaseManifest.parse(JSON.parse(readFileSync(join(saved, "manifest.json"), "utf8")));

/** The values of a column in all saved rows of a table. */
function valuesOf(table: string, column: string): unknown[] {
  const description = manifestOf().tables.find(({ name }) => name === table);
  const place = description?.columns.indexOf(column) ?? -1;
  const text = gunzipSync(readFileSync(join(saved, `${table}.jsonl.gz`))).toString("utf8");
  const lines = text.split("\n").slice(0, -1);
  expect(lines).toHaveLength(description?.rows ?? -1);
  return lines.map((line) => (parseJson(line) as unknown[])[place]);
}

test("all tables are saved as of one moment while clients write, and nothing that was answered before is missing", async () => {
  const made: string[] = [];
  const over = new AbortController();
  const write = async (client: number): Promise<void> => {
    for (let number = 0; !over.signal.aborted; number++) {
      const name = `ledger-${client}-${number}`;
      await server.json(`/api/ledger/v2/${name}`, { method: "POST" });
      made.push(name);
      await wait(PAUSE_MS);
    }
  };
  const writing = Promise.all([write(1), write(2), write(3)]);
  await expect.poll(() => made.length).toBeGreaterThan(10);
  const atBegin = [...made];
  expect(await backup("database", "--to", saved)).toMatch(/^\d+ rows of \d+ tables are in/);
  const written = made.length - atBegin.length;
  over.abort();
  await writing;
  expect(written).toBeGreaterThan(0);

  const ledgers = valuesOf("ledgers", "name");
  expect(ledgers).toEqual(expect.arrayContaining(atBegin));
  // One transaction stores a ledger and its entry in the audit, so that a copy of one moment has both or neither.
  const actions = valuesOf("audit", "action");
  const objects = valuesOf("audit", "object").filter(
    (_, index) => actions[index] === "ledger.ledger.create",
  );
  expect(new Set(objects)).toEqual(new Set(ledgers.map((name) => `ledgers/${String(name)}`)));
});

test("a saved database is complete, has all migrations, and is not written over", async () => {
  expect(await backup("verify", saved)).toContain("are complete and unchanged.");
  const migrations = valuesOf("d1_migrations", "name");
  expect(migrations.length).toBeGreaterThan(10);
  expect(await failureOf("database", "--to", saved)).toContain("exists already");
  expect(await failureOf("database")).toContain("--to is missing");
});

/** The snapshots of a backup, from the first on. */
const snapshotsOf = (path: string): BackupManifest[] =>
  new BackupFolder(path)
    .snapshots()
    .map((name) => readBackupManifest(join(path, "snapshots", name)));

/** The references of the transactions in the saved log of a ledger. */
function referencesOf(path: string, { uuid, parts }: SnapshotLedger): string[] {
  const logs = readParts(join(path, "ledgers", uuid)).slice(0, parts);
  const lines = logs.flatMap(({ log }) =>
    gunzipSync(readFileSync(join(path, "ledgers", uuid, log.file)))
      .toString("utf8")
      .split("\n")
      .slice(0, -1),
  );
  return lines.map((line) => LoggedTransaction.parse(parseJson(line)).data.transaction.reference);
}

const LoggedTransaction = z.object({
  data: z.object({ transaction: z.object({ reference: z.string() }) }),
});

test("a backup under load has everything that was answered before its moment, and the next one adds only what is new", async () => {
  const path = join(freshFolder(), "whole");
  const passphrase = join(freshFolder(), "passphrase");
  writeFileSync(passphrase, "correct horse battery staple\n");
  const names = ["books-1", "books-2", "books-3"];
  for (const name of names) await server.json(`/api/ledger/v2/${name}`, { method: "POST" });
  const answered: { readonly ledger: string; readonly reference: string; readonly at: string }[] =
    [];
  const over = new AbortController();
  const write = async (ledger: string): Promise<void> => {
    for (let number = 0; !over.signal.aborted; number++) {
      const reference = `${ledger}-${number}`;
      const postings = [{ source: "world", destination: "users:1", amount: 1, asset: "USD" }];
      const body = { postings, reference };
      await server.json(`/api/ledger/v2/${ledger}/transactions`, { method: "POST", body });
      answered.push({ ledger, reference, at: new Date().toISOString() });
      await wait(PAUSE_MS);
    }
  };
  const create = ["create", "--to", path, "--passphrase-file", passphrase, "--keep", "2"];
  const writing = Promise.all(names.map(write));
  await expect.poll(() => answered.length).toBeGreaterThan(20);
  expect(await backup(...create)).toContain("new entries of");
  over.abort();
  await writing;
  const [first] = snapshotsOf(path);
  const { ledgers = [], moments } = first ?? {};
  expect(ledgers.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  for (const ledger of ledgers.filter(({ name }) => names.includes(name))) {
    const due = answered.filter(
      (it) => it.ledger === ledger.name && it.at < (moments?.ledgers ?? ""),
    );
    expect(due.length).toBeGreaterThan(0);
    const saved = new Set(referencesOf(path, ledger));
    expect(due.filter(({ reference }) => !saved.has(reference))).toEqual([]);
    expect(ledger.publishedLogId).toBeLessThanOrEqual(ledger.lastLogId);
  }
  expect(await backup("verify", path)).toContain("all hashes agree");

  const config = { endpoint: "http://127.0.0.1:9/x", eventTypes: ["ledger.created_ledger"] };
  const made = await server.json("/api/webhooks/configs", { body: config });
  const { id } = z.object({ data: z.object({ id: z.string() }) }).parse(made).data;
  await backup(...create);
  const lastOutput = await backup(...create);
  const folderOfLast = join(path, "snapshots", new BackupFolder(path).snapshots().at(-1) ?? "");
  const endpoints = gunzipSync(readFileSync(join(folderOfLast, "objects/EndpointObject.jsonl.gz")));
  expect(endpoints.toString("utf8")).toContain(`{"object":"${id}",`);
  const kept = snapshotsOf(path);
  expect(kept).toHaveLength(2);
  const last = kept.at(-1)?.ledgers.find(({ name }) => name === "books-1");
  // What was answered after the first backup is in the second one, and the third one has added nothing.
  expect(last?.entries).toBe(answered.filter(({ ledger }) => ledger === "books-1").length);
  expect(last?.parts).toBeLessThanOrEqual(2);
  expect(last?.lastHash).toBe(kept[0]?.ledgers.find(({ name }) => name === "books-1")?.lastHash);
  const [, sha256 = ""] = /SHA-256 of the backup is ([\da-f]{64})/.exec(lastOutput) ?? [];
  const known = ["--sha256", sha256, "--passphrase-file", passphrase];
  expect(await backup("verify", path, ...known)).toContain("all hashes agree");
  expect(await failureOf("verify", path, "--sha256", "none")).toContain("64 hexadecimal digits");
  expect(await failureOf("verify", saved, "--sha256", sha256)).toContain("no backup of ledgers");

  const keys = await backup("keys", path, "--passphrase-file", passphrase);
  const secrets = JSON.parse(readFileSync(join(folder, "secrets.json"), "utf8")) as LocalSecrets;
  expect(keys).toBe(`FLORIN_SECRET_KEY=${secrets.secretKey}`);
});

test("a backup without keys says so loudly, and one with other keys than the server's is refused", async () => {
  const path = join(freshFolder(), "keyless");
  expect(await backup("create", "--to", path)).toContain("THE KEYS ARE NOT IN THIS BACKUP");
  expect(await failureOf("keys", path, "--passphrase-file", path)).toContain("keys are not in");
  const config = {
    endpoint: "http://127.0.0.1:9/hook",
    eventTypes: ["ledger.committed_transactions"],
  };
  await server.json("/api/webhooks/configs", { body: config });
  const key = join(freshFolder(), "key");
  writeFileSync(key, `FLORIN_SECRET_KEY=${Buffer.alloc(32).toString("base64")}\n`);
  writeFileSync(`${key}.pass`, "x");
  const options = ["--passphrase-file", `${key}.pass`, "--key-file", key];
  expect(await failureOf("create", "--to", path, ...options)).toContain(
    "has none of the server's keys in force",
  );
  expect(snapshotsOf(path)).toHaveLength(1);
  expect(await failureOf("create", "--to", path, "--key-file", key)).toContain("never stored open");
  expect(await backup("verify", path)).toContain("THE KEYS ARE NOT IN THIS BACKUP");
});

test("a backup whose log was changed is found, and so is one of which a ledger's folder is gone", async () => {
  const path = join(freshFolder(), "changed");
  await backup("create", "--to", path);
  const [snapshot] = snapshotsOf(path);
  const ledger = snapshot?.ledgers.find(({ parts }) => parts > 0);
  const parts = join(path, "ledgers", ledger?.uuid ?? "");
  const [part] = readParts(parts);
  const log = join(parts, part?.log.file ?? "");
  const text = gunzipSync(readFileSync(log)).toString("utf8");
  const before = readFileSync(log);
  writeFileSync(log, gzipSync(text.replace('"amount":1,', '"amount":2,')));
  expect(await failureOf("verify", path)).toMatch(/log-1-.* (?:bytes|SHA-256)/);
  writeFileSync(log, before);
  expect(await backup("verify", path)).toContain("all hashes agree");
  rmSync(parts, { recursive: true });
  expect(await failureOf("create", "--to", path)).toContain("it was changed or lost");
  expect(snapshotsOf(path)).toHaveLength(1);
  expect(await failureOf("verify", path)).toContain("the list of its parts");
  rmSync(join(path, "snapshots"), { recursive: true });
  expect(await failureOf("verify", path)).toContain("no saved database");
});

test("the database may be saved again right away", async () => {
  const later = `${saved}-later`;
  await backup("database", "--to", later);
  const manifest = JSON.parse(readFileSync(join(later, "manifest.json"), "utf8")) as object;
  expect(DatabaseManifest.parse(manifest).tables.map(({ name }) => name)).toEqual(
    manifestOf().tables.map(({ name }) => name),
  );
  const names = readdirSync(dirname(later)).filter((name) => name.includes("partial"));
  expect(names).toEqual([]);
});

test("a file that was changed, shortened or lost is found, and so is a backup that was never completed", async () => {
  const path = join(saved, "ledgers.jsonl.gz");
  const before = readFileSync(path);
  appendFileSync(path, "more");
  expect(await failureOf("verify", saved)).toContain("ledgers.jsonl.gz has");
  const changed = Buffer.from(before);
  changed.writeUInt8((changed.at(-1) ?? 0) ^ 1, changed.length - 1);
  writeFileSync(path, changed);
  expect(await failureOf("verify", saved)).toContain("another SHA-256");
  rmSync(path);
  expect(await failureOf("verify", saved)).toContain("ledgers.jsonl.gz is missing");
  rmSync(join(saved, "manifest.json"));
  expect(await failureOf("verify", saved)).toContain("never completed");
});
