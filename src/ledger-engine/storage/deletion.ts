import { isCreated } from "./migrations.ts";
import { first, type Sql } from "#platform/sql/sql.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

/** A deletion of a ledger, with its date, or a restoration. The changes of a ledger are numbered as they happen. */
export interface VisibilityChange {
  readonly uuid: string;
  readonly visibility: number;
  readonly deletedAt: Timestamp | undefined;
}

/** Notes a change of this ledger, unless a later one is known: calls come twice, late and in any order. */
export function applyVisibility(sql: Sql, { uuid, visibility, deletedAt }: VisibilityChange): void {
  sql.all(
    "UPDATE ledger SET deletion_revision = ?, deleted_at = ? WHERE uuid = ? AND deletion_revision < ?",
    visibility,
    deletedAt === undefined ? null : Number(toMicros(deletedAt)),
    uuid,
    visibility,
  );
}

/**
 * The uuid of the ledger whose tables these are, if there is one. After a purge, its name may be given to another
 * ledger.
 */
export const storedUuid = (sql: Sql): string | undefined =>
  isCreated(sql) ? first(sql.all<{ uuid: string }>("SELECT uuid FROM ledger")).uuid : undefined;

/** Whether the ledger is deleted: then nobody sees it. */
export const isHidden = (sql: Sql): boolean =>
  first(sql.all<{ hidden: number }>("SELECT deleted_at IS NOT NULL AS hidden FROM ledger"))
    .hidden === 1;
