import { isCreated } from "./migrations.ts";
import { first, type Sql } from "#platform/sql/sql.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

/** A deletion of a ledger, with its date, or a restoration, without one. Revisions number the changes of a ledger as they happen. */
export interface DeletionChange {
  readonly uuid: string;
  readonly revision: number;
  readonly deletedAt: Timestamp | undefined;
}

/** Applies a change to this ledger, unless a later one is known: calls may be repeated, late and in any order. */
export function applyDeletion(sql: Sql, { uuid, revision, deletedAt }: DeletionChange): void {
  sql.all(
    "UPDATE ledger SET deletion_revision = ?, deleted_at = ? WHERE uuid = ? AND deletion_revision < ?",
    revision,
    deletedAt === undefined ? null : Number(toMicros(deletedAt)),
    uuid,
    revision,
  );
}

/**
 * The uuid of the stored ledger; undefined if there is none. After a purge, another ledger may get the name of the purged
 * one, and with the name its object.
 */
export const storedUuid = (sql: Sql): string | undefined =>
  isCreated(sql) ? first(sql.all<{ uuid: string }>("SELECT uuid FROM ledger")).uuid : undefined;

/** Whether the ledger is deleted, and therefore hidden. */
export const isDeleted = (sql: Sql): boolean =>
  first(sql.all<{ deleted: number }>("SELECT deleted_at IS NOT NULL AS deleted FROM ledger"))
    .deleted === 1;
