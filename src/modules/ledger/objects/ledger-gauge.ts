import { databaseOf } from "#platform/db/database.ts";
import { keptSizeIn, SizeGauge } from "#platform/storage/gauge.ts";
import { keepSize } from "#platform/storage/sizes.ts";

/** Measures the storage of a ledger's object, which grows with its log. */
export const ledgerGauge = (
  { storage }: Pick<DurableObjectState, "storage">,
  env: Pick<Env, "DB">,
): SizeGauge =>
  new SizeGauge({
    nowMs: () => Date.now(),
    bytes: () => storage.sql.databaseSize,
    kept: keptSizeIn(storage),
    keep: (ledger, measured) => keepSize(databaseOf(env), `ledger/${ledger}`, measured),
  });
