import { max } from "drizzle-orm";
import { paymentAdjustments } from "./tables.ts";
import { databaseOf } from "#platform/db/database.ts";

/** The key of the newest adjustment of a payment; 0 if there is none. Keys are positions of the lines of sources. */
export async function lastAdjustmentKey(env: Pick<Env, "DB">): Promise<number> {
  const [row] = await databaseOf(env)
    .select({ key: max(paymentAdjustments.key) })
    .from(paymentAdjustments);
  return row?.key ?? 0;
}
