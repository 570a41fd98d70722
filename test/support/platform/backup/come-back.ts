import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { restoreObject, type SavedObject, savedObjectOf } from "./saved-object.ts";
import { present } from "#platform/assert.ts";
import type { CopiedValue } from "#platform/backup/copied-table.ts";
import type { RestoredObject } from "#platform/backup/restored-class.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";

type RestoredStub = DurableObjectStub & RestoredObject;
export type RowRecord = Readonly<Record<string, CopiedValue>>;

/** A saved object with other rows of a table, whose values are given by the names of their columns. */
export function withRows(
  saved: SavedObject,
  name: string,
  edit: (rows: readonly RowRecord[]) => readonly RowRecord[],
): SavedObject {
  const tables = saved.tables.map((table) => {
    if (table.name !== name) return table;
    const records = table.rows.map((row) =>
      Object.fromEntries(table.columns.map((column, place) => [column, row[place] ?? null])),
    );
    const rows = edit(records).map((row) => table.columns.map((column) => row[column] ?? null));
    return { ...table, rows };
  });
  return { ...saved, tables };
}

interface Comeback {
  /** What the object has learned between the moment of the database and that of its own copy. */
  readonly change?: (saved: SavedObject) => SavedObject;
  /** The moment of the database, in milliseconds since the epoch; by default now. */
  readonly databaseMs?: number;
}

/** Saves an object, takes everything away from it, and brings it back, as into a new deployment with the same database. */
export async function comeBack(
  find: () => DurableObjectStub,
  { change = (saved) => saved, databaseMs = Date.now() }: Comeback = {},
): Promise<void> {
  let saved: SavedObject | undefined;
  // An eviction would wait for the timers of the instance, and an instance that works would miss its tables.
  await endAfter(find(), async ({ storage }) => {
    saved = savedObjectOf(durableSql(storage));
    await storage.deleteAlarm();
  });
  await endAfter(find(), async ({ storage }) => {
    await storage.deleteAll();
    await storage.sync();
  });
  await noteLedgerEnds();
  await restoreObject(
    find() as RestoredStub,
    change(present(saved, "the object was read")),
    databaseMs,
  ); // The classes that are tested have the method.
}

/** Notes the last entry of each ledger, as if their logs had come back before. */
async function noteLedgerEnds(): Promise<void> {
  const { results } = await env.DB.prepare("SELECT uuid, name FROM ledgers").all<{
    uuid: string;
    name: string;
  }>();
  for (const { uuid, name } of results) {
    const head = await env.LEDGERS.getByName(name).head(uuid);
    await env.DB.prepare("INSERT OR REPLACE INTO restored_parts VALUES ('ledger', ?, ?)")
      .bind(uuid, head.ok ? head.value.lastLogId : -1)
      .run();
  }
}

/** Does something in an object, and ends its instance. */
async function endAfter(
  object: DurableObjectStub,
  work: (ctx: DurableObjectState) => Promise<void>,
): Promise<void> {
  const ended = runInDurableObject(object, async (_, ctx) => {
    await work(ctx);
    ctx.abort("a test ends it");
  });
  await ended.catch(() => undefined);
}
