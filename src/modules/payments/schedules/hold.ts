import { eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { paymentSchedules } from "./tables.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import type { Database } from "#platform/db/database.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** The longest wait that a provider may ask for, in milliseconds. */
const HOLD_MS_MAX = 3_600_000;

/**
 * The statements by which no schedule or movement of a connector calls the provider before a time that the provider has
 * named.
 */
export const holdStatements = (
  db: Database,
  { connectorKey, until }: { readonly connectorKey: number; readonly until: Timestamp },
) =>
  [
    db
      .update(paymentConnectors)
      .set({ heldUntil: until })
      .where(eq(paymentConnectors.key, connectorKey)),
    db
      .update(paymentSchedules)
      .set({ nextAt: sql`max(next_at, ${until})` })
      .where(eq(paymentSchedules.connectorKey, connectorKey)),
  ] as const;

/**
 * The condition that a connector's hold lasts at `now`. A hold with an end beyond `HOLD_MS_MAX` was stored before the
 * machine's clock was set back, and does not count.
 */
export const isOnHold = (now: Timestamp, heldUntil: SQLWrapper = sql`c.held_until`): SQL =>
  sql`(${heldUntil} > ${now} AND ${heldUntil} <= ${fromMillis(toMillis(now) + HOLD_MS_MAX)})`;
