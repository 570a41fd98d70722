import { sql } from "drizzle-orm";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/** How many payouts, transfers and reversals of a connector are on their way: stored, and without an outcome. */
export interface OpenMovementCount {
  /** The connector's id in the API. */
  readonly connectorId: string;
  /** The UUID of the installation. */
  readonly reference: string;
  readonly name: string;
  readonly count: number;
}

/** Counts the open movements of all connectors that have some, or of the one with a reference. Those with most come first. */
export async function countOpenMovements(
  { env }: Pick<ServiceContext, "env">,
  reference?: string,
): Promise<OpenMovementCount[]> {
  const rows = await databaseOf(env).all<{
    provider: string;
    reference: string;
    name: string;
    count: number;
  }>(sql`
    SELECT c.provider, c.reference, c.name, count(*) AS count
    FROM payment_movements AS m JOIN payment_connectors AS c ON c.key = m.connector_key
    WHERE ${reference === undefined ? sql`TRUE` : sql`c.reference = ${reference}`}
    GROUP BY c.key ORDER BY count DESC, c.key`);
  return rows.map(({ provider, reference: uuid, name, count }) => ({
    connectorId: encodeConnectorId({ provider, reference: uuid }),
    reference: uuid,
    name,
    count,
  }));
}
