import { and, eq } from "drizzle-orm";
import { getUserKey } from "./store.ts";
import { paymentUserConnections } from "./tables.ts";
import type { Connection } from "./user.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import { given } from "#modules/payments/core/given.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { metadataKey } from "#modules/payments/installs/filters.ts";
import { getConnector } from "#modules/payments/installs/store.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { isSelected, type ListTable, listPage } from "#platform/db/list.ts";
import { parseJson } from "#platform/json.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const connections = paymentUserConnections;

const CONNECTIONS: ListTable<Connection> = {
  keys: {
    connection_id: { type: "text", column: connections.connectionId },
    status: { type: "set", column: connections.status },
    metadata: metadataKey(connections),
  },
  sort: {
    created_at: {
      type: "date",
      column: connections.createdAt,
      tie: connections.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** The columns that answers show, which leave out the token. */
const COLUMNS = {
  key: connections.key,
  connectionId: connections.connectionId,
  status: connections.status,
  error: connections.error,
  metadata: connections.metadata,
  createdAt: connections.createdAt,
  updatedAt: connections.updatedAt,
  dataUpdatedAt: connections.dataUpdatedAt,
  provider: paymentConnectors.provider,
  reference: paymentConnectors.reference,
};

/** A page of a user's connections, at all connectors or at one. Throws `NOT_FOUND`, and `VALIDATION` for a bad filter. */
export async function listConnections(
  context: ServiceContext,
  of: { readonly userId: string; readonly connector?: ConnectorId },
  query: PageQuery,
): Promise<Page<Connection>> {
  const userKey = await getUserKey(context, of.userId);
  const connector =
    of.connector === undefined ? undefined : await getConnector(context, of.connector);
  return listPage(query, {
    ...CONNECTIONS,
    read: async (scan) => {
      const where = and(
        eq(connections.userKey, userKey),
        connector === undefined ? undefined : eq(connections.connectorKey, connector.key),
        scan.where,
      );
      const rows = await databaseOf(context.env)
        .select(COLUMNS)
        .from(connections)
        .innerJoin(paymentConnectors, eq(paymentConnectors.key, connections.connectorKey))
        .where(isSelected(connections.key, { ...scan, where }))
        .orderBy(...scan.orderBy);
      return rows.map(({ provider, reference, metadata, error, dataUpdatedAt, ...row }) => ({
        ...row,
        connector: { provider, reference },
        metadata: parseJson(metadata) as ObjectMetadata, // only this module writes the column
        ...given({ error, dataUpdatedAt }),
      }));
    },
  });
}
