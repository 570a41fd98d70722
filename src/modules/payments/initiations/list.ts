import { eq, type SQLWrapper, sql } from "drizzle-orm";
import { INITIATION_COLUMNS, type Initiation, toInitiation } from "./initiation.ts";
import { paymentInitiations } from "./tables.ts";
import { INITIATION_STATUSES, INITIATION_TYPES } from "#modules/payments/core/enums.ts";
import { decodeConnectorId, decodeOwnedId } from "#modules/payments/core/ids.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import type { FilterKey } from "#platform/db/keys.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

/** The id of something that belongs to the connector of the row, compared part by part; others match nothing. */
const ownedId = (reference: SQLWrapper): FilterKey => ({
  type: "text",
  operators: ["$match", "$in"],
  column: sql`${paymentConnectors.provider} || ':' || ${paymentConnectors.reference} || ':' || ${reference}`,
  encode: (text) => {
    const id = decodeOwnedId(text);
    return id === undefined
      ? ""
      : `${id.connector.provider}:${id.connector.reference}:${id.reference}`;
  },
});

const INITIATIONS: ListTable<Initiation> = {
  keys: {
    id: ownedId(sql`${paymentInitiations.reference}`),
    reference: { type: "text", column: paymentInitiations.reference },
    connector_id: {
      type: "text",
      operators: ["$match", "$in"],
      column: paymentConnectors.reference,
      encode: (text) => decodeConnectorId(text)?.reference ?? "",
    },
    type: { type: "set", column: paymentInitiations.type, values: INITIATION_TYPES },
    asset: { type: "text", column: paymentInitiations.asset },
    source_account_id: ownedId(paymentInitiations.source),
    destination_account_id: ownedId(paymentInitiations.destination),
    status: { type: "set", column: paymentInitiations.status, values: INITIATION_STATUSES },
    amount: { type: "bigint", column: paymentInitiations.amount },
    metadata: { type: "metadata", column: paymentInitiations.metadata },
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
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await databaseOf(env)
        .select(INITIATION_COLUMNS)
        .from(paymentInitiations)
        .innerJoin(paymentConnectors, eq(paymentConnectors.key, paymentInitiations.connectorKey))
        .where(where)
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return rows.map(toInitiation);
    },
  });
}
