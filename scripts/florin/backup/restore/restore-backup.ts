import { join } from "node:path";
import { z } from "zod";
import { MigratedDatabase, type MigratedTable } from "./migrated-database.ts";
import type { RestorationTokens } from "./restoration-tokens.ts";
import { restoreDatabase, type Restoring, TABLES_MIGRATION } from "./restore-database.ts";
import { ObjectFiles } from "./restore-files.ts";
import { restoreLedger } from "./restore-ledger.ts";
import { restoreObjects } from "./restore-objects.ts";
import {
  type BackupManifest,
  failuresOf,
  ledgersWithParts,
  type SnapshotLedger,
} from "#platform/backup/saving/backup-manifest.ts";
import { withPatience } from "#platform/backup/saving/patience.ts";
import type { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { problemOf } from "#scripts/florin/backup/file-hash.ts";
import { verifyFiles } from "#scripts/florin/backup/files/saved-files.ts";
import { eachAtOnce, LEDGERS_AT_ONCE } from "#scripts/florin/backup/ledgers/each-at-once.ts";
import { hashOfParts } from "#scripts/florin/backup/ledgers/ledger-parts.ts";
import {
  problemOfClass,
  type SavedClass,
  SavedObjects,
} from "#scripts/florin/backup/saved-objects.ts";
import { readDatabaseManifest, verifyDatabase } from "#scripts/florin/backup/verify-database.ts";
import { Api, RefusedCall } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";
import { OBJECT_STEPS } from "#scripts/lib/stored/object-steps.ts";

const RESTORATIONS = "/api/florin/v1/restorations";

/** The snapshot that is restored. */
export interface RestoredSnapshot {
  readonly folder: BackupFolder;
  /** The path of the snapshot. */
  readonly path: string;
  readonly manifest: BackupManifest;
  /** The SHA-256 of the manifest, by which the server knows the backup. */
  readonly sha256: string;
}

/** What is restored, and where. */
export interface RestoreOrder {
  readonly snapshot: RestoredSnapshot;
  /** The server, for calls that carry the token of the restoration. */
  readonly url: string;
  /** Opens the API of the server with a token of an operator. */
  readonly connect: () => Promise<Api>;
  readonly tokens: RestorationTokens;
  /** Whether the operator accepts a snapshot that lacks something. */
  readonly isIncompleteAccepted: boolean;
  /** Asks the operator before anything is written. */
  readonly confirm: () => Promise<void>;
  readonly note: (line: string) => void;
}

/** A deployment that is a copy as soon as it is served again. */
export interface RestoredBackup {
  readonly tables: number;
  readonly rows: number;
  readonly ledgers: number;
  readonly entries: number;
  /** The objects outside of ledgers, with those that the database does not know or that are made anew from it. */
  readonly objects: number;
}

/**
 * Restores a snapshot into an empty deployment, which is served with `FLORIN_RESTORE`. Whatever can be checked is checked before anything is
 * written; the server checks the rest:
 *
 *     1  files, tables of a version that is known ─ nothing is written yet
 *     2  begin ─ the deployment is disarmed, and knows what has to come
 *     3  the database ─ it names ledgers and objects
 *     4  the logs of ledgers ─ hashes are computed again, and compared
 *     5  other objects, with their files ─ they are fitted to the database and the logs
 *     6  end ─ all of it is there; without the setting, the deployment serves its clients, and stays disarmed
 *
 * A run that was killed is gone on with by the same command: each part says how far it has come. Throws `OperatorError` for a snapshot that
 * lacks something, unless the operator accepts it.
 */
export async function restoreBackup(order: RestoreOrder): Promise<RestoredBackup> {
  const { snapshot, tokens, note } = order;
  const { manifest, path } = snapshot;
  assertAccepted(order);
  await assertReadable(snapshot);
  const files = await readFiles(order);
  const saved = join(path, "database");
  const database = await MigratedDatabase.open(saved, readDatabaseManifest(saved));
  try {
    const tables = await database.tables();
    const { id, token, isOver } = await findOrBegin(order, tables);
    const api = await Api.open({ url: order.url, token: async () => token }, []);
    const restoring: Restoring = { api, path: `${RESTORATIONS}/${id}`, note };
    if (!isOver) {
      note("the database");
      await restoreDatabase(restoring, database, tables);
      await restoreLedgers(restoring, snapshot);
      note("other objects");
      await restoreObjects(restoring, {
        folder: join(path, "objects"),
        classes: manifest.objects,
        files,
      });
      await withPatience(() =>
        api.call({ method: "POST", path: `${restoring.path}/end`, answer: z.undefined() }),
      );
    }
    tokens.forget();
    return {
      tables: tables.length,
      rows: tables.reduce((sum, { rowCount }) => sum + rowCount, 0),
      ledgers: ledgersOf(manifest).length,
      entries: entriesOf(manifest),
      objects: manifest.objects.reduce((sum, { objects }) => sum + objects, 0),
    };
  } finally {
    database.close();
  }
}

/** A ledger whose log is restored. */
type LogToRestore = Omit<SnapshotLedger, "bucket" | "features">;

/** The ledgers whose logs are restored: also the first entries of those that could not be saved to their ends. */
const ledgersOf = ({ ledgers, failed = [] }: BackupManifest): LogToRestore[] => [
  ...ledgers,
  ...failed.map(upToItsEnd),
];

/** A ledger that could not be saved to its end: its marks are at most at the last entry that was. */
function upToItsEnd({ importedLogId = 0, ...ledger }: LogToRestore): LogToRestore {
  const last = Math.max(0, ledger.lastLogId);
  return {
    ...ledger,
    publishedLogId: Math.min(ledger.publishedLogId, last),
    ...(importedLogId > 0 && last > 0 ? { importedLogId: Math.min(importedLogId, last) } : {}),
  };
}

const entriesOf = (manifest: BackupManifest): number =>
  ledgersOf(manifest).reduce((sum, { entries }) => sum + entries, 0);

async function restoreLedgers(
  restoring: Restoring,
  { folder, manifest }: RestoredSnapshot,
): Promise<void> {
  const ledgers = ledgersOf(manifest);
  restoring.note(`the logs of ${ledgers.length} ledgers`);
  let done = 0;
  await eachAtOnce(ledgers, LEDGERS_AT_ONCE, async (ledger) => {
    await restoreLedger(restoring, { folder: folder.ledger(ledger.uuid), ledger });
    done += ledger.entries;
    restoring.note(`  ${done} of ${entriesOf(manifest)} entries, ${ledger.name}`);
  });
}

/** Throws `OperatorError` for a snapshot that lacks something, unless the operator accepts it. */
function assertAccepted({ snapshot, isIncompleteAccepted }: RestoreOrder): void {
  const failures = failuresOf(snapshot.manifest);
  if (failures.length === 0 || isIncompleteAccepted) return;
  throw new OperatorError(
    [
      "The snapshot lacks what the server could not give, and nothing is restored:",
      ...failures,
      "Take another snapshot (--snapshot), or give --incomplete to restore what this one has.",
    ].join("\n"),
  );
}

/** The files that objects keep. Throws `OperatorError` where one is missing or was changed, unless the operator does without it. */
async function readFiles({
  snapshot: { folder, path, manifest },
  isIncompleteAccepted,
}: RestoreOrder): Promise<ObjectFiles | undefined> {
  if (manifest.files === undefined) return undefined;
  const { problems, intact } = await verifyFiles(folder, path, manifest.files);
  if (problems.length === 0 || isIncompleteAccepted) return new ObjectFiles(folder, intact);
  throw new OperatorError(
    [
      "Files of objects were changed or are missing, and nothing is restored:",
      ...problems,
      "Take another snapshot (--snapshot), or give --incomplete to do without these files.",
    ].join("\n"),
  );
}

/** Gives up the restoration of a snapshot that is under way, and begins none. Returns whether the deployment has to be made anew. */
export async function abandonRestore(
  order: Pick<RestoreOrder, "snapshot" | "url" | "connect" | "tokens">,
): Promise<boolean> {
  const known = (await findKnown(order)) ?? (await goOn(order));
  if (known.stage === "abandoned") return true;
  const api = await Api.open({ url: order.url, token: async () => known.token }, []);
  const path = `${RESTORATIONS}/${known.id}`;
  const makeAnew = await withPatience(() => api.call({ method: "DELETE", path, answer: Abandoned }))
    .then(({ data }) => data.makeAnew)
    .catch(async (error: unknown) => {
      if (!(error instanceof RefusedCall)) throw error;
      // An earlier call was carried out, whose answer was lost: a restoration that has written nothing is gone.
      const now = await findKnown(order);
      if (now !== undefined && now.stage !== "abandoned") throw error;
      return now !== undefined;
    });
  order.tokens.forget();
  return makeAnew;
}

const Abandoned = z.object({ data: z.object({ makeAnew: z.boolean() }) });

/** Throws `OperatorError` where a file is missing or was changed. Those of logs are compared when they are read. */
async function assertReadable({ folder, path, manifest }: RestoredSnapshot): Promise<void> {
  const problem = await problemOf(join(path, manifest.database.file), manifest.database);
  const problems = problem === undefined ? [] : [problem];
  if (problem === undefined) {
    problems.push(...(await verifyDatabase(join(path, "database"))).problems);
  }
  for (const saved of manifest.objects) {
    const found = await problemOfClass(join(path, "objects"), saved);
    problems.push(...(found === undefined ? await unknownTables(path, saved) : [found]));
  }
  for (const { uuid, name, parts, partsSha256 } of ledgersWithParts(manifest)) {
    if (hashOfParts(folder.ledger(uuid), parts) === partsSha256) continue;
    problems.push(`${name}: the list of its parts is another one than the manifest says.`);
  }
  if (problems.length === 0) return;
  throw new OperatorError(
    [`The backup was changed or is not complete, and nothing is restored:`, ...problems].join("\n"),
  );
}

/** What this version does not know of the saved objects of a class, as sentences: the class, or steps of their tables. */
async function unknownTables(path: string, { class: name, file }: SavedClass): Promise<string[]> {
  const known = Object.hasOwn(OBJECT_STEPS, name) ? OBJECT_STEPS[name] : undefined;
  if (known === undefined) {
    return [`${file}: this version has no objects of the class ${name}. Restore with a later one.`];
  }
  const steps = await new SavedObjects(join(path, "objects", file)).steps();
  const last = steps.reduce((most, step) => Math.max(most, step), 0);
  return last <= known.length
    ? []
    : [
        `${file}: tables are at step ${last}, and this version knows ${known.length}. Restore with a later one.`,
      ];
}

const Found = z.object({
  data: z.object({ id: z.string(), stage: z.string(), problem: z.string().optional() }),
});

/** A restoration of the server, and its token. */
interface KnownRestoration {
  readonly id: string;
  readonly token: string;
  readonly stage: string;
  /** Why it cannot go on at this server, as a sentence. */
  readonly problem?: string | undefined;
}

/** The restoration that this user has begun before, or a new one. */
async function findOrBegin(
  order: RestoreOrder,
  tables: readonly MigratedTable[],
): Promise<KnownRestoration & { readonly isOver: boolean }> {
  const known = await findKnown(order);
  if (known !== undefined) {
    if (known.problem !== undefined) {
      throw new OperatorError(`The restoration cannot go on: ${known.problem}.`);
    }
    const isOver = known.stage === "ended";
    if (known.stage === "abandoned") throw new OperatorError(GIVEN_UP);
    order.note(isOver ? "The restoration has ended before." : "The restoration goes on.");
    return { ...known, isOver };
  }
  await order.confirm();
  const token = order.tokens.make();
  const { manifest } = order.snapshot;
  const plan = {
    keyIds: manifest.keyIds,
    migration: TABLES_MIGRATION,
    tables: Object.fromEntries(tables.map(({ name, rowCount }) => [name, rowCount])),
    ledgers: ledgersOf(manifest).length,
    missingLedgers: manifest.purged,
    objects: Object.fromEntries(manifest.objects.map((saved) => [saved.class, saved.objects])),
  };
  return { ...(await begin(order, token, plan)), isOver: false };
}

const GIVEN_UP =
  "The restoration was given up when a part of it was written: make the deployment anew, with an empty state folder or npm run deploy -- --destroy, and restore into that.";

/** The restoration whose token this user has; undefined if the server takes none of the tokens. */
export async function findKnown({
  url,
  tokens,
}: Pick<RestoreOrder, "url" | "tokens">): Promise<KnownRestoration | undefined> {
  for (const token of tokens.candidates()) {
    const api = await Api.open({ url, token: async () => token }, []);
    try {
      const { data } = await withPatience(() =>
        api.call({ method: "GET", path: RESTORATIONS, answer: Found }),
      );
      return { ...data, token };
    } catch (error) {
      const isUnknown = error instanceof RefusedCall && error.status === UNAUTHORIZED;
      if (!isUnknown) throw error;
    }
  }
  return undefined;
}

const UNAUTHORIZED = 401;

/** Takes over a restoration that is under way and whose token this user does not have, as an operator. */
const goOn = (
  order: Pick<RestoreOrder, "snapshot" | "connect" | "tokens">,
): Promise<KnownRestoration> =>
  begin(order, order.tokens.make(), {
    keyIds: [],
    migration: TABLES_MIGRATION,
    tables: {},
    ledgers: 0,
    objects: {},
    goesOn: true,
  });

const Begun = z.object({ data: z.object({ id: z.string() }) });

async function begin(
  { snapshot: { manifest, sha256: backup }, connect }: Pick<RestoreOrder, "snapshot" | "connect">,
  token: string,
  plan: object,
): Promise<KnownRestoration> {
  const api = await connect();
  const body = { backup, moment: manifest.moments.database, token, ...plan };
  // The same beginning may come twice, because it has the token.
  const { data } = await withPatience(() =>
    api.call({ method: "POST", path: RESTORATIONS, body, answer: Begun }),
  );
  return { id: data.id, token, stage: "under-way" };
}
