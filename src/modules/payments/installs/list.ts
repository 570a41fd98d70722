import { openConfig } from "./config.ts";
import {
  CONNECTOR_COLUMNS,
  type ConnectorRow,
  type InstalledConnector,
  toConnector,
} from "./store.ts";
import { paymentConnectors } from "./tables.ts";
import type { PluginConfig } from "#modules/payments/connectors/config.ts";
import type { ConnectorHealth } from "#modules/payments/core/connector-health.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import { logError } from "#platform/log.ts";
import { mapPage, type Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

export interface ConfiguredConnector {
  readonly connector: InstalledConnector;
  readonly config: PluginConfig;
  readonly health: ConnectorHealth;
}

const COLUMNS = {
  ...CONNECTOR_COLUMNS,
  config: paymentConnectors.config,
  health: paymentConnectors.health,
};
type ListedRow = Pick<typeof paymentConnectors.$inferSelect, keyof typeof COLUMNS>;

/** The filters and sort columns of connectors. */
export const CONNECTORS: ListTable<ConnectorRow> = {
  keys: {
    // The filter gets the UUID in the connector's id.
    id: { type: "text", column: paymentConnectors.reference, operators: ["$match", "$in"] },
    name: { type: "text", column: paymentConnectors.name },
    provider: { type: "text", column: paymentConnectors.provider },
  },
  sort: {
    created_at: {
      type: "date",
      column: paymentConnectors.createdAt,
      tie: paymentConnectors.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of installations with their configurations, including installations that are being uninstalled. */
export async function listConnectors(
  { env }: Pick<ServiceContext, "env">,
  query: PageQuery,
): Promise<Page<ConfiguredConnector>> {
  const db = databaseOf(env);
  const page = await listPage(query, {
    ...CONNECTORS,
    read: ({ where, orderBy, limit, offset }) =>
      db
        .select(COLUMNS)
        .from(paymentConnectors)
        .where(where)
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset),
  });
  return mapPage(page, (row) => ({
    connector: toConnector(row),
    config: openIfPossible(env, row),
    health: row.health,
  }));
}

/** The configuration of a row; empty if it cannot be decrypted, so that the other connectors are still shown. */
function openIfPossible(
  env: Env,
  { reference, config }: Pick<ListedRow, "reference" | "config">,
): PluginConfig {
  try {
    return openConfig(env, reference, config);
  } catch (error) {
    logError("the configuration of a connector cannot be read", error, { connector: reference });
    return {};
  }
}

/** All installations, oldest first, without their configurations. A deployment has few of them. */
export async function listAllConnectors({
  env,
}: Pick<ServiceContext, "env">): Promise<InstalledConnector[]> {
  const rows = await databaseOf(env)
    .select(CONNECTOR_COLUMNS)
    .from(paymentConnectors)
    .orderBy(paymentConnectors.createdAt, paymentConnectors.key);
  return rows.map(toConnector);
}
