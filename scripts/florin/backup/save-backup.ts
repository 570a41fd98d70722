import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { BackupFolder } from "./backup-folder.ts";
import { type BackupManifest, readBackupManifest, type SnapshotLedger } from "./backup-manifest.ts";
import { type DescribedFile, hashOf } from "./file-hash.ts";
import { hashOfParts, type LedgerPart } from "./ledgers/ledger-parts.ts";
import { assertContinues, saveLedger } from "./ledgers/save-ledger.ts";
import { type ListedLedger, listLedgers } from "./ledgers/saved-ledgers.ts";
import { MANIFEST } from "./manifest.ts";
import { assertPartsKept, assertSameServer } from "./same-server.ts";
import { saveDatabase } from "./save-database.ts";
import { saveObjects } from "./save-objects.ts";
import { readCatalogue } from "./saved-catalogue.ts";
import { type DeploymentKeys, keyIdsOf, type Recipient, wrapKeys } from "./wrapped-keys.ts";
import { present } from "#platform/assert.ts";
import type { Api } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** Most ledgers whose logs are read at once. The server admits eight calls of backups and exports. */
const LEDGERS_AT_ONCE = 4;
/** Entries of a part: a run that breaks off has at most one part of each ledger to read again. */
const PART_ENTRIES = 200_000;
const KEYS = "keys.json";
const OBJECTS = "objects";

/** What a backup is made of, and where it goes. */
export interface BackupOrder {
  readonly api: Api;
  readonly folder: BackupFolder;
  /** How many snapshots are kept, this one included. */
  readonly kept: number;
  /** The keys and for whom they are wrapped; undefined for a backup without keys. */
  readonly keys: { readonly keys: DeploymentKeys; readonly recipient: Recipient } | undefined;
  readonly note: (line: string) => void;
}

/** A backup that is complete. */
export interface MadeBackup {
  readonly snapshot: string;
  readonly manifest: BackupManifest;
  /** How many entries of logs this run has added. */
  readonly added: number;
  /** The ids of keys with which values are encrypted, and that are not among the keys of the backup. */
  readonly missingKeyIds: readonly string[];
  /** Why older snapshots could not be removed; undefined if they were. */
  readonly keptOlder: string | undefined;
}

/**
 * Makes a backup while the server works. The order of its parts makes them agree:
 *
 *     1  up to where events are published ─ an earlier state: at worst, events are published again
 *     2  the database as of one moment T
 *     3  logs of the ledgers that the database has, to their ends after T ─ what T names is in them
 *     4  objects after T, each as of a moment of its own ─ what the database told them is in them
 *
 * Throws `OperatorError` where a part cannot be had. Complete parts of logs stay, and the next run goes on behind them.
 */
export async function saveBackup(order: BackupOrder): Promise<MadeBackup> {
  const { api, folder, note } = order;
  using _lock = folder.lock();
  assertPartsKept(folder);
  const began = new Date().toISOString();
  const backup = await beginBackup(api);
  const versions = await versionsOf(api);
  const published = await listLedgers(api, backup);
  const publishedAt = new Date().toISOString();
  const name = folder.nextName(began);
  const snapshot = folder.beginSnapshot(name);
  try {
    note("the database");
    const database = await saveDatabase(api, join(snapshot, "database"), note);
    missingOf(order, database.keyIds ?? []);
    await assertSameServer(folder, join(snapshot, "database"), database);
    const ledgersAt = new Date().toISOString();
    const listed = await listLedgers(api, backup);
    const catalogue = await readCatalogue(join(snapshot, "database"), database);
    const wanted = catalogue.filter(({ isPurging }) => !isPurging);
    const ledgers = wanted.flatMap(({ uuid }) => listed.get(uuid) ?? []);
    await eachAtOnce(ledgers, (ledger) =>
      assertContinues({ api, backup, ledger, folder: folder.ledger(ledger.uuid) }),
    );
    note(`the logs of ${ledgers.length} ledgers`);
    const { saved, added } = await saveLedgers(order, { backup, ledgers, published });
    const objectsAt = new Date().toISOString();
    const objects = await saveObjects({
      api,
      backup,
      folder: await makeFolder(join(snapshot, OBJECTS)),
      note,
    });
    const keyIds = [...new Set([...(database.keyIds ?? []), ...objects.keyIds])].toSorted();
    const manifest: BackupManifest = {
      format: 1,
      ...versions,
      backup,
      moments: {
        began,
        published: publishedAt,
        database: database.endedAt,
        ledgers: ledgersAt,
        objects: objectsAt,
        ended: new Date().toISOString(),
      },
      database: await describe(snapshot, join("database", MANIFEST)),
      ledgers: saved,
      purged: wanted.map(({ uuid }) => uuid).filter((uuid) => !listed.has(uuid)),
      objects: objects.classes,
      keys: await writeKeys(snapshot, order.keys),
      keyIds,
    };
    await writeText(snapshot, MANIFEST, manifest);
    const missingKeyIds = missingOf(order, keyIds);
    folder.completeSnapshot(name);
    const keptOlder = prune(folder, order.kept);
    return { snapshot: folder.snapshot(name), manifest, added, missingKeyIds, keptOlder };
  } finally {
    await rm(snapshot, { recursive: true, force: true }); // It is there only after a failure.
  }
}

const Begun = z.object({ data: z.object({ id: z.string() }) });

const beginBackup = async (api: Api): Promise<string> =>
  (await api.call({ method: "POST", path: "/api/florin/v1/backup", answer: Begun })).data.id;

const Versions = z.object({
  commit: z.string().optional(),
  versions: z.array(z.object({ name: z.string(), version: z.string() })),
});

async function versionsOf(api: Api): Promise<Pick<BackupManifest, "commit" | "versions">> {
  const { commit, versions } = await api.call({
    method: "GET",
    path: "/versions",
    answer: Versions,
  });
  return {
    ...(commit === undefined ? {} : { commit }),
    versions: Object.fromEntries(versions.map(({ name, version }) => [name, version])),
  };
}

/** The keys that the backup lacks. Throws where it would have none of those that are in use: whoever made it has named other keys. */
function missingOf({ keys }: BackupOrder, keyIds: readonly string[]): readonly string[] {
  if (keys === undefined) return keyIds;
  const given = new Set(keyIdsOf(keys.keys));
  const missing = keyIds.filter((id) => !given.has(id));
  if (missing.length > 0 && missing.length === keyIds.length) {
    throw new OperatorError(
      `None of the keys that the command was given is one with which the server encrypts (${missing.join(", ")}). Name the server's own FLORIN_SECRET_KEY.`,
    );
  }
  return missing;
}

/** Works on some ledgers at once. After a failure, those that are under way are ended, and no other one begins. */
async function eachAtOnce(
  ledgers: readonly ListedLedger[],
  work: (ledger: ListedLedger) => Promise<void>,
): Promise<void> {
  const waiting = [...ledgers];
  const goOn = async (): Promise<void> => {
    for (let ledger = waiting.shift(); ledger !== undefined; ledger = waiting.shift())
      await work(ledger);
  };
  const workers = Array.from({ length: LEDGERS_AT_ONCE }, () =>
    goOn().catch((error: unknown) => {
      waiting.length = 0;
      throw error;
    }),
  );
  const ends = await Promise.allSettled(workers);
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** Saves the new entries of ledgers, some ledgers at once. */
async function saveLedgers(
  { api, folder, note }: BackupOrder,
  {
    backup,
    ledgers,
    published,
  }: {
    readonly backup: string;
    readonly ledgers: readonly ListedLedger[];
    readonly published: ReadonlyMap<string, ListedLedger>;
  },
): Promise<{ readonly saved: SnapshotLedger[]; readonly added: number }> {
  const saved = new Map<string, SnapshotLedger>();
  let added = 0;
  await eachAtOnce(ledgers, async (ledger) => {
    const { uuid, name } = ledger;
    const parts = await saveLedger({
      api,
      backup,
      ledger,
      folder: folder.ledger(uuid),
      partEntries: PART_ENTRIES,
      onPart: (part) => {
        added += part.entries;
        note(`  ${added} entries, ${name}`);
      },
    });
    saved.set(
      uuid,
      toSnapshotLedger(ledger, { parts, folder: folder.ledger(uuid) }, published.get(uuid)),
    );
  });
  return {
    saved: ledgers.map(({ uuid }) => present(saved.get(uuid), "every ledger was saved")),
    added,
  };
}

function toSnapshotLedger(
  { uuid, name, bucket, features, lastLogId, lastHash, importedLogId }: ListedLedger,
  { parts, folder }: { readonly parts: readonly LedgerPart[]; readonly folder: string },
  before: ListedLedger | undefined,
): SnapshotLedger {
  return {
    uuid,
    name,
    bucket,
    features,
    lastLogId,
    lastHash,
    entries: parts.reduce((sum, { entries }) => sum + entries, 0),
    publishedLogId: before?.publishedLogId ?? 0,
    ...(importedLogId === undefined ? {} : { importedLogId }),
    parts: parts.length,
    partsSha256: hashOfParts(folder, parts.length),
  };
}

async function writeKeys(
  folder: string,
  wanted: BackupOrder["keys"],
): Promise<DescribedFile | null> {
  if (wanted === undefined) return null;
  return writeText(folder, KEYS, wrapKeys(wanted.keys, wanted.recipient));
}

async function writeText(folder: string, file: string, value: object): Promise<DescribedFile> {
  const text = `${JSON.stringify(value, undefined, 2)}\n`;
  await writeFile(join(folder, file), text, { mode: 0o600, flush: true });
  return describe(folder, file);
}

async function makeFolder(path: string): Promise<string> {
  await mkdir(path, { mode: 0o700 });
  return path;
}

async function describe(folder: string, file: string): Promise<DescribedFile> {
  const path = join(folder, file);
  return { file, bytes: (await stat(path)).size, sha256: await hashOf(path) };
}

/** Removes older snapshots, and the logs of ledgers that only they had. Returns why this failed, if it did: the new backup is complete anyway. */
function prune(folder: BackupFolder, kept: number): string | undefined {
  try {
    folder.removeOlder(kept);
    const manifests = folder.snapshots().map((name) => readBackupManifest(folder.snapshot(name)));
    folder.removeLedgersBut(
      new Set(manifests.flatMap(({ ledgers }) => ledgers.map(({ uuid }) => uuid))),
    );
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
