import { eq } from "drizzle-orm";
import { INITIATION_COLUMNS, type Initiation, toInitiation } from "./initiation.ts";
import { paymentInitiations } from "./tables.ts";
import {
  connectorKey,
  metadataKey,
  ownAccountKey,
  ownedKey,
  unindexed,
} from "#modules/payments/installs/filters.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { isSelected, type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const INITIATIONS: ListTable<Initiation> = {
  keys: {
    id: ownedKey(paymentInitiations),
    reference: { type: "text", column: paymentInitiations.reference },
    connector_id: connectorKey(unindexed(paymentInitiations.connectorKey)),
    type: { type: "set", column: paymentInitiations.type },
    asset: { type: "text", column: paymentInitiations.asset },
    source_account_id: ownAccountKey({
      connectorKey: unindexed(paymentInitiations.connectorKey),
      reference: paymentInitiations.source,
      hash: paymentInitiations.sourceHash,
    }),
    destination_account_id: ownAccountKey({
      connectorKey: unindexed(paymentInitiations.connectorKey),
      reference: paymentInitiations.destination,
      hash: paymentInitiations.destinationHash,
    }),
    status: { type: "set", column: paymentInitiations.status },
    amount: { type: "bigint", column: paymentInitiations.amount },
    metadata: metadataKey(paymentInitiations),
  },
  sort: {
    created_at: {
      type: "date",
      column: paymentInitiations.createdAt,
      tie: paymentInitiations.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of initiations. Throws `VALIDATION` for a bad filter. */
export function listInitiations(
  { env }: Pick<ServiceContext, "env">,
  query: PageQuery,
): Promise<Page<Initiation>> {
  return listPage(query, {
    ...INITIATIONS,
    read: async (scan) => {
      const rows = await databaseOf(env)
        .select(INITIATION_COLUMNS)
        .from(paymentInitiations)
        .innerJoin(paymentConnectors, eq(paymentConnectors.key, paymentInitiations.connectorKey))
        .where(isSelected(paymentInitiations.key, scan))
        .orderBy(...scan.orderBy);
      return rows.map(toInitiation);
    },
  });
}
