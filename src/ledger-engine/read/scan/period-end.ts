import type { Period } from "#ledger-engine/rules/period.ts";
import { readHead } from "#ledger-engine/storage/log/log-tables.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { fromMicros, type Timestamp } from "#platform/time.ts";

/** The end of a period. "Now" is after the last log entry, even if another machine's clock has dated the entry later. */
export function periodEnd(
  sql: Sql,
  { endTime, endsNow }: Pick<Period, "endTime"> & { readonly endsNow?: boolean },
): Timestamp {
  if (endsNow !== true) return endTime;
  const next = fromMicros(BigInt((readHead(sql)?.date ?? -1) + 1));
  return next > endTime ? next : endTime;
}
