import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type BackupManifest } from "#platform/backup/saving/backup-manifest.ts";
import { stringifyJson } from "#platform/json.ts";
import { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { readBackupManifest } from "#scripts/florin/backup/backup-manifest.ts";
import { hashOfParts } from "#scripts/florin/backup/ledgers/ledger-parts.ts";
import { readDatabaseManifest } from "#scripts/florin/backup/verify-database.ts";
import { inProject } from "#scripts/lib/project.ts";
import { WebhookReceiver } from "#scripts/lib/receiver.ts";
import { unpackState } from "#scripts/lib/release/archive.ts";
import { releaseFiles } from "#scripts/lib/release/fixture.ts";
import { Facts, Named, pageOf, WORLD } from "#scripts/lib/release/world/facts.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";
import { FakeGeneric, GENERIC_KEY } from "#test/support/psp/generic.ts";
import { PspServer } from "#test/support/psp/psp-server.ts";
import { commandLine, runCommandLine } from "#test/support/runner/command-line.ts";

/*
 *     original: state of 0.2.0, which has something of every module ── writes ──► backup create ──► SIGKILL
 *                                                                                      │
 *     copy:     FLORIN_RESTORE ── killed between the tables of clients ── killed at the logs ── end ── served, disarmed
 *
 * Endpoints and the provider are the same for both, so that they see whatever leaves the copy.
 */
const RELEASE = releaseFiles("0.2.0");
const facts = Facts.parse(JSON.parse(readFileSync(RELEASE.facts, "utf8")));
const SETTINGS = { FLORIN_PAYMENTS_POLLING_PERIOD_MIN: "1s" };
const LEDGER = `/api/ledger/v2/${WORLD.ledger}`;
const RECONCILIATION = "/api/florin/v1/reconciliation";

const [folder, other] = [freshFolder(), freshFolder()];
const backup = join(freshFolder(), "backup");
const passphrase = join(freshFolder(), "passphrase");
const provider = new FakeGeneric();
let receiver: WebhookReceiver;
let psp: PspServer;
let original: LocalServer;
let copy: LocalServer | undefined;

beforeAll(async () => {
  writeFileSync(passphrase, "correct horse battery staple\n");
  receiver = await WebhookReceiver.open();
  psp = await PspServer.open(provider, "https://generic.example");
  unpackState(RELEASE.state, folder);
  original = await LocalServer.start(folder, SETTINGS);
});
afterAll(async () => {
  await original.killAll();
  await copy?.stop();
  await receiver.close();
  await psp.close();
});

/** How often a reference came: by the webhook, and by the pipeline, which sends batches. */
function timesTold(reference: string): { webhook: number; pipeline: number } {
  const found = receiver.deliveries.filter(({ body }) => body.includes(`"${reference}"`));
  const batches = found.filter(({ body }) => body.startsWith("[")).length;
  return { webhook: found.length - batches, pipeline: batches };
}

/** Whatever has reached the receiver and the provider. */
const callsUntilNow = (): number => receiver.deliveries.length + provider.requests.length;

const commit = (
  server: LocalServer,
  reference: string,
  ledger: string = WORLD.ledger,
): Promise<unknown> =>
  server.json(`/api/ledger/v2/${ledger}/transactions`, {
    body: {
      reference,
      postings: [{ source: "world", destination: "users:9", amount: 1, asset: WORLD.asset }],
    },
  });

const Run = z.object({ data: z.object({ id: z.int(), state: z.string() }) });

/** The path at which the file of a statement is read, and what was uploaded. */
let statement = { path: "", content: "" };

/** Adds what the release did not have: a provider that is asked, and a statement that is matched with an account. */
async function addToTheWorld(): Promise<void> {
  await original.json(`/api/webhooks/configs/${facts.configID}`, {
    method: "PUT",
    body: { endpoint: receiver.url, eventTypes: ["ledger.committed_transactions"] },
  });
  await original.json(`/api/ledger/v2/_/exporters/${facts.exporterID}`, {
    method: "PUT",
    body: { driver: "http", config: { url: receiver.url, batching: { maxItems: 50 } } },
  });
  await original.json("/api/payments/v3/connectors/install/generic", {
    body: {
      name: "psp",
      endpoint: `${psp.url}/v1`,
      apiKey: GENERIC_KEY,
      pollingPeriod: "1s",
    },
  });
  const sourceWith = async (fields: object): Promise<string> => {
    const made = await original.json(`${RECONCILIATION}/sources`, { body: fields });
    return Named.parse(made).data.id;
  };
  const bank = await sourceWith({ name: "bank", kind: "statement" });
  const account = { kind: "accounts", ledger: WORLD.ledger, account: "users:9" };
  const books = await sourceWith({ name: "books", ...account });
  const lines = [
    { statement: { asset: WORLD.asset, id: "S-3", from: "2026-03-01", to: "2026-03-31" } },
    { date: "2026-03-01", amount: 1, endToEndId: "E2E-1" },
  ];
  const content = lines.map((line) => `${stringifyJson(line)}\n`).join("");
  const path = `${RECONCILIATION}/sources/${bank}/statements`;
  const uploaded = await fetch(`${original.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${await original.token()}` },
    body: content,
  });
  expect(uploaded.status).toBe(201);
  statement = { path: `${path}/${Named.parse(await uploaded.json()).data.id}/file`, content };
  await original.json("/api/ledger/v2/silent", { method: "POST" });
  await commit(original, "lost", "silent");
  const made = await original.json(`${RECONCILIATION}/matchings`, {
    body: {
      name: "march",
      leftSourceID: bank,
      rightSourceID: books,
      period: { from: "2026-01-01" },
    },
  });
  const runs = `${RECONCILIATION}/matchings/${Named.parse(made).data.id}/runs`;
  const run = Run.parse(await original.json(runs, { method: "POST" })).data;
  await eventually(async () => {
    const { state } = Run.parse(await original.json(`${runs}/${run.id}`)).data;
    expect(state).toBe("done");
  });
}

/** As if a ledger had not answered when the backup was made. */
function lackLedger(lacked: string): void {
  const manifest = lastManifest(backup);
  const ledger = manifest.ledgers.find(({ name }) => name === lacked);
  const { uuid = "", name = "" } = ledger ?? {};
  const nothing = { lastLogId: -1, lastHash: "", entries: 0, publishedLogId: 0, parts: 0 };
  const found = new BackupFolder(backup);
  const partsSha256 = hashOfParts(found.ledger(uuid), 0);
  const changed = {
    ...manifest,
    ledgers: manifest.ledgers.filter((it) => it !== ledger),
    failed: [{ uuid, name, ...nothing, partsSha256, reason: "it was silent" }],
  };
  const path = join(found.snapshot(found.snapshots().at(-1) ?? ""), "manifest.json");
  writeFileSync(path, stringifyJson(changed));
}

const lastManifest = (path: string): BackupManifest => {
  const found = new BackupFolder(path);
  return readBackupManifest(found.snapshot(found.snapshots().at(-1) ?? ""));
};

interface Answered {
  readonly reference: string;
  /** When its answer had come. */
  readonly at: string;
}
const answered: Answered[] = [];

/** Most transactions of each of the four clients: one page has all of them. */
const WRITES_MAX = 200;
/** The pause of a client after a transaction, in milliseconds. */
const PAUSE_MS = 25;

test("a deployment with something of every module is saved while clients write, and is killed", async () => {
  await addToTheWorld();
  await commit(original, "early");
  await eventually(() => expect(timesTold("early")).toEqual({ webhook: 1, pipeline: 1 }));
  await eventually(() => expect(provider.requests.length).toBeGreaterThan(0));
  const over = new AbortController();
  const write = async (client: number): Promise<void> => {
    for (let number = 0; number < WRITES_MAX && !over.signal.aborted; number++) {
      const reference = `load-${client}-${number}`;
      await commit(original, reference);
      answered.push({ reference, at: new Date().toISOString() });
      await delay(PAUSE_MS);
    }
  };
  const writing = Promise.allSettled([1, 2, 3, 4].map(write));
  await expect.poll(() => answered.length).toBeGreaterThan(20);
  const florin = commandLine({ FLORIN_STATE_DIR: folder });
  const options = ["--to", backup, "--passphrase-file", passphrase];
  expect(await florin("backup", "create", ...options)).toContain("new entries of");
  await original.killAll();
  over.abort();
  await writing;
  lackLedger("silent");
  const { objects, files } = lastManifest(backup);
  expect(files).toMatchObject({ files: 1, gone: 0 });
  const saved = objects.filter(({ objects: count }) => count > 0).map(({ class: name }) => name);
  expect(saved.toSorted()).toEqual([
    "EndpointObject",
    "InstanceRunnerObject",
    "MatchingObject",
    "PipelineObject",
    "StatementSourceObject",
    "TriggerLaneObject",
  ]);
});

/** Restores the backup, and kills the command as soon as it tells something. */
async function killedRestore(settings: NodeJS.ProcessEnv, at: string): Promise<void> {
  const args = ["scripts/florin.ts", "backup", "restore", backup, "--yes", "--incomplete"];
  const child = spawn(process.execPath, args, {
    cwd: inProject("."),
    env: { ...process.env, ...settings },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let told = "";
  for await (const chunk of child.stderr) {
    told += String(chunk);
    if (told.includes(at)) child.kill("SIGKILL");
  }
  expect(told).toContain(at);
}

/** Restores the backup, and ends as soon as the rows of a table were written. Returns what the command has told. */
async function restoreUpTo(settings: NodeJS.ProcessEnv, table: string): Promise<readonly string[]> {
  const told: string[] = [];
  const run = runCommandLine(
    settings,
    ["backup", "restore", backup, "--yes", "--incomplete"],
    (line) => {
      told.push(line);
      if (line.endsWith(` rows, ${table}`)) throw new Error("the machine was switched off");
    },
  );
  await expect(run).rejects.toThrow("switched off");
  return told;
}

test("it is restored into an empty server by runs that were killed, also between the tables of clients and their secrets", async () => {
  const florin = commandLine({});
  const keys = await florin("backup", "keys", backup, "--passphrase-file", passphrase);
  const secrets = { ...SETTINGS, FLORIN_SECRET_KEY: keys.replace("FLORIN_SECRET_KEY=", "") };
  copy = await LocalServer.start(other, { ...secrets, FLORIN_RESTORE: "true" });
  // The token is derived from the client of the state folder: no run needs anything of another one.
  const settings = () => ({ FLORIN_STATE_DIR: other, XDG_CONFIG_HOME: freshFolder() });
  const told = await restoreUpTo(settings(), "auth_clients");
  expect(told.filter((line) => line.includes("auth_client_secrets"))).toEqual([]);
  const held = await fetch(`${copy.url}${LEDGER}`);
  expect(held.status).toBe(503);
  expect(await held.text()).toContain("served with FLORIN_RESTORE");
  await copy.stop();
  // A part of a backup is not served.
  const part = await LocalServer.fail(other, secrets);
  expect(part.stderr).toContain("is not restored to its end");
  copy = await LocalServer.start(other, { ...secrets, FLORIN_RESTORE: "true" });
  await killedRestore(settings(), "the logs of");
  const there = commandLine(settings());
  await expect(there("backup", "restore", backup, "--yes")).rejects.toThrow(
    "The ledger 'silent' is not saved: it was silent",
  );
  const output = await there("backup", "restore", backup, "--yes", "--incomplete");
  expect(output).toContain("whose hashes agree");
  await copy.stop();
  copy = await LocalServer.start(other, secrets);
});

const Transactions = pageOf(z.object({ reference: z.string().optional() }));
const Logs = pageOf(z.object({ id: z.int() }));
const Deliveries = pageOf(z.object({ eventID: z.string() }));

test("the copy has everything that was answered before the moment of the backup, with the same hashes", async () => {
  const { moments, ledgers } = lastManifest(backup);
  const there = commandLine({ FLORIN_STATE_DIR: other });
  for (const { name } of ledgers) {
    expect(await there("ledgers", "verify", name)).toContain("agrees with its log");
  }
  const due = answered.filter(({ at }) => at < moments.ledgers);
  expect(due.length).toBeGreaterThan(20);
  const page = await copy?.json(`${LEDGER}/transactions?pageSize=1000`);
  const found = new Set(Transactions.parse(page).cursor.data.map(({ reference }) => reference));
  expect(due.filter(({ reference }) => !found.has(reference))).toEqual([]);
  const again = join(freshFolder(), "again");
  await there("backup", "create", "--to", again);
  const ends = (manifest: BackupManifest) =>
    manifest.ledgers.map(({ uuid, name, lastLogId, lastHash }) => [
      name,
      uuid,
      lastLogId,
      lastHash,
    ]);
  const copied = ends(lastManifest(again)).filter(([name]) => name !== "silent");
  expect(copied).toEqual(ends(lastManifest(backup)));
  expect(await copy?.json("/api/ledger/v2/silent/logs")).toMatchObject({ cursor: { data: [] } });
  // Who has restored is in the audit, and the tables have been migrated.
  expect(changedTables(backup, again)).toEqual(["audit", "d1_migrations"]);
});

test("a statement is downloaded from the copy byte for byte", async () => {
  const server = copy ?? original;
  const answer = await fetch(`${server.url}${statement.path}`, {
    headers: { authorization: `Bearer ${await server.token()}` },
  });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe(statement.content);
});

/** The tables whose rows differ in the last snapshots of two backups. */
function changedTables(...paths: readonly [string, string]): string[] {
  const [rows, others] = paths.map((path) => {
    const found = new BackupFolder(path);
    const database = join(found.snapshot(found.snapshots().at(-1) ?? ""), "database");
    const { tables } = readDatabaseManifest(database);
    const texts = tables.map(({ name, file }): [string, string] => [
      name,
      gunzipSync(readFileSync(join(database, file))).toString("utf8"),
    ]);
    return new Map(texts);
  });
  const names = [...(rows?.keys() ?? [])];
  expect(names.length).toBeGreaterThan(50);
  return names.filter((name) => rows?.get(name) !== others?.get(name));
}

test("no call leaves the copy: what it has to tell waits, until somebody says that the original is stopped", async () => {
  const server = copy ?? original;
  const before = callsUntilNow();
  await commit(server, "of the copy");
  const { data } = Logs.parse(await server.json(`${LEDGER}/logs?pageSize=1`)).cursor;
  await eventually(async () => {
    const pending = Deliveries.parse(await server.json("/api/webhooks/deliveries?status=pending"));
    const events = pending.cursor.data.map(({ eventID }) => eventID.split(":")[1]);
    expect(events).toContain(String(data[0]?.id));
  });
  const there = commandLine({ FLORIN_STATE_DIR: other });
  await expect(there("arm")).rejects.toThrow("was restored from another one");
  expect(callsUntilNow()).toBe(before);
});
