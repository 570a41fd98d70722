import { sql } from "drizzle-orm";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/**
 * How many orders of a connector are not final, so that the original of a restored deployment may have paid them: payouts, transfers and
 * reversals that are on their way, and initiations that wait for an approval.
 */
export interface OpenOrderCount {
  /** The connector's id in the API. */
  readonly connectorId: string;
  readonly name: string;
  readonly count: number;
}

/** Counts the open orders of connectors that have some, and that were not armed since the deployment was restored. Those with most come first. */
export async function countOpenOrders({
  env,
}: Pick<ServiceContext, "env">): Promise<OpenOrderCount[]> {
  const rows = await databaseOf(env).all<{
    provider: string;
    reference: string;
    name: string;
    count: number;
  }>(sql`
    SELECT c.provider, c.reference, c.name, sum(o.count) AS count FROM (
      SELECT connector_key, count(*) AS count FROM payment_movements GROUP BY connector_key
      UNION ALL
      SELECT connector_key, count(*) FROM payment_initiations
      WHERE status = 'WAITING_FOR_VALIDATION' GROUP BY connector_key) AS o
    JOIN payment_connectors AS c ON c.key = o.connector_key
    WHERE c.deleted_at IS NULL AND c.key NOT IN (SELECT connector_key FROM payment_lookups)
    GROUP BY c.key ORDER BY count DESC, c.key`);
  return rows.map(({ provider, reference, name, count }) => ({
    connectorId: encodeConnectorId({ provider, reference }),
    name,
    count,
  }));
}
