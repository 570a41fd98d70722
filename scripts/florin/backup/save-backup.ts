import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { BackupFolder } from "./backup-folder.ts";
import { readBackupManifest } from "./backup-manifest.ts";
import { BackupSession } from "./calls/backup-session.ts";
import { type DescribedFile, hashOf } from "./file-hash.ts";
import { saveFiles } from "./files/save-files.ts";
import { savedFiles } from "./files/saved-files.ts";
import {
  assertCurrentKey,
  assertUsedKey,
  type GivenKeys,
  missingKeyIds,
} from "./keys/given-keys.ts";
import { saveLedgers } from "./ledgers/save-ledgers.ts";
import { assertPartsKept, assertSameServer } from "./same-server.ts";
import { saveDatabase } from "./save-database.ts";
import { saveObjects } from "./save-objects.ts";
import { readCatalogue } from "./saved-catalogue.ts";
import { wrapKeys } from "./wrapped-keys.ts";
import {
  type BackupManifest,
  failuresOf,
  ledgersWithParts,
} from "#platform/backup/saving/backup-manifest.ts";
import { DATABASE, KEYS, OBJECTS } from "#platform/backup/saving/file-names.ts";
import { MANIFEST } from "#platform/backup/saving/manifest.ts";
import { withPatience } from "#platform/backup/saving/patience.ts";
import { type ListedLedgers, listLedgers } from "#platform/backup/saving/saved-ledgers.ts";
import type { Api } from "#scripts/lib/api.ts";

/** What a backup is made of, and where it goes. */
export interface BackupOrder {
  readonly api: Api;
  readonly folder: BackupFolder;
  /** How many snapshots are kept, this one included. */
  readonly kept: number;
  /** Undefined for a backup without keys. */
  readonly keys: GivenKeys | undefined;
  readonly note: (line: string) => void;
}

/** A backup that is complete. */
export interface MadeBackup {
  readonly snapshot: string;
  readonly manifest: BackupManifest;
  /** The SHA-256 of the manifest's file, in hexadecimal digits: kept elsewhere, it shows that no file of the snapshot was changed. */
  readonly sha256: string;
  /** How many entries of logs this run has added. */
  readonly added: number;
  /** The ledgers and other objects that could not be saved, a sentence each. Nothing older was removed where there are any. */
  readonly failures: readonly string[];
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
 *     4  files that objects keep beside their tables, which never change
 *     5  objects after T, each as of a moment of its own ─ what the database told them is in them
 *
 * A ledger that cannot be read is named in the manifest, and all else is saved. Throws `OperatorError` where another part cannot be had.
 * Complete parts of logs stay, and the next run goes on behind them.
 */
export async function saveBackup(order: BackupOrder): Promise<MadeBackup> {
  const { api, folder, note } = order;
  using _lock = folder.lock();
  assertPartsKept(folder);
  const began = new Date().toISOString();
  const session = await BackupSession.begin(api);
  if (session.keyId !== undefined) assertCurrentKey(order.keys, session.keyId);
  const versions = await versionsOf(api);
  const published = publishedBefore(folder, await listLedgers(session));
  const publishedAt = new Date().toISOString();
  const name = folder.nextName(began);
  const snapshot = folder.beginSnapshot(name);
  try {
    note("the database");
    const database = await saveDatabase(api, join(snapshot, DATABASE), note);
    if (session.keyId === undefined) assertUsedKey(order.keys, database.keyIds ?? []);
    await assertSameServer(folder, join(snapshot, DATABASE), database);
    const ledgersAt = new Date().toISOString();
    const listed = await listLedgers(session);
    const catalogue = await readCatalogue(join(snapshot, DATABASE), database);
    const wanted = catalogue.filter(({ isPurging }) => !isPurging);
    note(`the logs of ${wanted.length} ledgers`);
    const logs = await saveLedgers({ reads: session, folder, note }, { wanted, listed, published });
    const files = await saveFiles({ reads: session, folder, snapshot, note });
    const objectsAt = new Date().toISOString();
    const objects = await saveObjects({
      reads: session,
      folder: await makeFolder(join(snapshot, OBJECTS)),
      note,
    });
    const keyIds = [...new Set([...(database.keyIds ?? []), ...objects.keyIds])].toSorted();
    const manifest: BackupManifest = {
      format: 1,
      ...versions,
      ...auditedAs(session),
      moments: {
        began,
        published: publishedAt,
        database: database.endedAt,
        ledgers: ledgersAt,
        objects: objectsAt,
        ended: new Date().toISOString(),
      },
      database: await describe(snapshot, join(DATABASE, MANIFEST)),
      ledgers: logs.ledgers,
      ...(logs.failed.length === 0 ? {} : { failed: logs.failed }),
      purged: logs.purged,
      objects: objects.classes,
      ...(files === undefined ? {} : { files }),
      keys: await writeKeys(snapshot, order.keys),
      keyIds,
    };
    const { sha256 } = await writeText(snapshot, MANIFEST, manifest);
    folder.completeSnapshot(name);
    const failures = failuresOf(manifest);
    // As long as a ledger or an object cannot be saved, older snapshots may be needed.
    const keptOlder = failures.length === 0 ? await prune(folder, order.kept) : undefined;
    return {
      snapshot: folder.snapshot(name),
      manifest,
      sha256,
      added: logs.added,
      failures,
      missingKeyIds: missingKeyIds(order.keys, keyIds),
      keptOlder,
    };
  } finally {
    await rm(snapshot, { recursive: true, force: true }); // It is there only after a failure.
  }
}

/**
 * Up to where events of ledgers are published, by their uuids. Of a ledger that does not answer, that is what the last snapshot has: what is
 * published stays so.
 */
function publishedBefore(folder: BackupFolder, { ledgers, failed }: ListedLedgers) {
  const published = new Map<string, number>();
  const last = failed.size === 0 ? undefined : folder.snapshots().at(-1);
  if (last !== undefined) {
    const { ledgers: saved, failed: unsaved = [] } = readBackupManifest(folder.snapshot(last));
    for (const { uuid, publishedLogId } of [...saved, ...unsaved])
      published.set(uuid, publishedLogId);
  }
  for (const { uuid, publishedLogId } of ledgers.values()) published.set(uuid, publishedLogId);
  return published;
}

/** The ids under which the audit of the server has the backup. */
function auditedAs({ ids }: BackupSession): Pick<BackupManifest, "backup" | "laterBackups"> {
  const [backup = "", ...laterBackups] = ids;
  return laterBackups.length === 0 ? { backup } : { backup, laterBackups };
}

const Versions = z.object({
  commit: z.string().optional(),
  versions: z.array(z.object({ name: z.string(), version: z.string() })),
});

async function versionsOf(api: Api): Promise<Pick<BackupManifest, "commit" | "versions">> {
  const request = { method: "GET", path: "/versions", answer: Versions } as const;
  const { commit, versions } = await withPatience(() => api.call(request));
  return {
    ...(commit === undefined ? {} : { commit }),
    versions: Object.fromEntries(versions.map(({ name, version }) => [name, version])),
  };
}

async function writeKeys(
  folder: string,
  wanted: BackupOrder["keys"],
): Promise<DescribedFile | null> {
  if (wanted === undefined) return null;
  return writeText(folder, KEYS, await wrapKeys(wanted.keys, wanted.recipient));
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

/** Removes older snapshots, and the logs of ledgers and the files that only they had. Returns why this failed, if it did: the new backup is complete anyway. */
async function prune(folder: BackupFolder, kept: number): Promise<string | undefined> {
  try {
    folder.removeOlder(kept);
    const manifests = folder.snapshots().map((name) => readBackupManifest(folder.snapshot(name)));
    folder.removeLedgersBut(
      new Set(manifests.flatMap((manifest) => ledgersWithParts(manifest).map(({ uuid }) => uuid))),
    );
    const wanted = new Set<string>();
    for (const [index, name] of folder.snapshots().entries()) {
      const { files } = manifests[index] ?? {};
      for await (const { sha256 } of savedFiles(folder.snapshot(name), files)) wanted.add(sha256);
    }
    folder.removeBytesBut(wanted);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
