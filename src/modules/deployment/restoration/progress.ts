import { asc } from "drizzle-orm";
import { databaseOf } from "#platform/db/database.ts";
import type { StoredRestoration } from "#platform/restoration/restoration-token.ts";
import { type RestorationStage, restoredTables } from "#platform/restoration/tables.ts";
import type { Timestamp } from "#platform/time.ts";

/** How far a restoration has come. */
export interface RestorationProgress {
  readonly id: string;
  readonly backup: string;
  readonly beganAt: Timestamp;
  readonly stage: RestorationStage;
  readonly tables: readonly RestoredTable[];
}

/** A table of the database whose rows are being written. */
export interface RestoredTable {
  readonly name: string;
  readonly rows: number;
  readonly isComplete: boolean;
}

export async function readRestorationProgress(
  { env }: { readonly env: Pick<Env, "DB"> },
  { reference: id, backup, beganAt, stage }: StoredRestoration,
): Promise<RestorationProgress> {
  const rows = await databaseOf(env)
    .select()
    .from(restoredTables)
    .orderBy(asc(restoredTables.name));
  const tables = rows.map(({ name, rows: written, isComplete }) => ({
    name,
    rows: written,
    isComplete: isComplete === 1,
  }));
  return { id, backup, beganAt, stage, tables };
}
