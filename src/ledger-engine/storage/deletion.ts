import { isCreated } from "./migrations.ts";
import { first, type Sql } from "#platform/sql/sql.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

/** A deletion of a ledger, with its date, or a restoration. The changes of a ledger are numbered as they happen. */
export interface DeletionChange {
  readonly uuid: string;
  readonly revision: number;
  readonly deletedAt: Timestamp | undefined;
}

/** Notes a change of this ledger, unless a later one is known: calls come twice, late and in any order. */
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
 * The uuid of the ledger whose tables these are, if there is one. After a purge, its name may be given to another
 * ledger.
 */
export const storedUuid = (sql: Sql): string | undefined =>
  isCreated(sql) ? first(sql.all<{ uuid: string }>("SELECT uuid FROM ledger")).uuid : undefined;

/** Whether the ledger is deleted: then nobody sees it. */
export const isDeleted = (sql: Sql): boolean =>
  first(sql.all<{ deleted: number }>("SELECT deleted_at IS NOT NULL AS deleted FROM ledger"))
    .deleted === 1;
