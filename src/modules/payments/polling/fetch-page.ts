import type { NextFetch } from "./schedule.ts";
import type { WalkNode } from "./walk.ts";
import { prepareAccounts } from "#modules/payments/accounts/ingestion.ts";
import type { Confirmation } from "#modules/payments/balances/confirmations.ts";
import { prepareReports } from "#modules/payments/balances/ingestion.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type {
  FetchPage,
  FetchRequest,
  LinkedUser,
  Plugin,
} from "#modules/payments/connectors/contract.ts";
import type { RejectedItem } from "#modules/payments/connectors/provider-objects.ts";
import {
  accountProblem,
  balanceProblem,
  paymentProblem,
  type ProviderAccount,
} from "#modules/payments/connectors/provider-objects.ts";
import type { ParentItem } from "#modules/payments/connectors/webhook-contract.ts";
import { prepareConversions } from "#modules/payments/conversions/ingestion.ts";
import { joinPrepared, type PreparedPage } from "#modules/payments/ingestion/page.ts";
import { siftItems } from "#modules/payments/ingestion/sift.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { prepareOrders } from "#modules/payments/orders/ingestion.ts";
import { prepareDeletions } from "#modules/payments/payments/ingestion/payment-deletions.ts";
import { preparePayments } from "#modules/payments/payments/ingestion/payments.ts";
import type { ItemFetch } from "#modules/payments/schedules/schedule.ts";
import { connectionOf } from "#modules/payments/users/connection-fetches.ts";
import { isConnection } from "#modules/payments/users/connection-store.ts";
import { syncedEvent } from "#modules/payments/users/event-types.ts";
import { findLinkedUser } from "#modules/payments/users/provider-user.ts";
import { paymentUserConnections } from "#modules/payments/users/tables.ts";
import { registerWebhooks } from "#modules/payments/webhooks/register.ts";
import { configStatements } from "#modules/payments/webhooks/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** A page that a provider has given, and how it is stored. */
export interface FetchedPage {
  readonly hasMore: boolean;
  /** JSON of the plugin's new state; undefined for a plugin that keeps no state. */
  readonly state: string | undefined;
  /** Items that could not be read or are not valid. */
  readonly rejected: readonly RejectedItem[];
  /** The ids of the items that could be read. */
  readonly read: readonly string[];
  /** The items below which other fetches are made. */
  readonly parents: readonly ParentItem[];
  /** Prepares the items for storage. It is called again if other changes were stored meanwhile. */
  readonly prepare: () => Promise<PreparedItems>;
}

/** The statements and events that store items. */
export interface PreparedItems extends PreparedPage {
  /** The number of items that are new or have changed. */
  readonly count: number;
  /** Balances that the page confirms without a change of the amount. */
  readonly confirmed?: readonly Confirmation[];
}

interface Fetch {
  readonly connector: InstalledConnector;
  readonly plugin: Plugin;
  readonly next: NextFetch;
  readonly pageSize: number;
}

/** Fetches the next page from the provider. Throws `ConnectorError`. */
export async function fetchPage(context: ServiceContext, fetch: Fetch): Promise<FetchedPage> {
  const { connector, pageSize, next } = fetch;
  const named = connectionOf(next.fetch);
  if (named === undefined)
    return fetchItems(context, fetch, {
      ...toRequest(next, pageSize),
      now: context.clock(),
    });
  const linked = await findLinkedUser(context, { ...named, connector });
  if (linked === undefined) return NOTHING;
  const { userKey, ...connection } = linked;
  const request = { state: stateOf(next.fetch), pageSize, connection, now: context.clock() };
  const page = await fetchItems(context, fetch, request);
  if (page.hasMore) return page;
  const prepare = async () => {
    const items = await page.prepare();
    const about = { userKey, userId: named.userId, connector, connection };
    return { ...items, ...joinPrepared(items, prepareSynced(context, about)) };
  };
  return { ...page, prepare };
}

/** The page for a connection that does not exist any more. */
const NOTHING: FetchedPage = {
  hasMore: false,
  state: undefined,
  rejected: [],
  read: [],
  parents: [],
  prepare: async () => ({ ...NO_CHANGE, count: 0 }),
};

async function fetchItems(
  context: ServiceContext,
  { connector, plugin, next: { node, fetch } }: Fetch,
  request: FetchRequest,
): Promise<FetchedPage> {
  const linked = ownerOf(request);
  switch (node.task) {
    case "FETCH_ACCOUNTS":
    case "FETCH_EXTERNAL_ACCOUNTS": {
      const isInternal = node.task === "FETCH_ACCOUNTS";
      const type = isInternal ? "INTERNAL" : "EXTERNAL";
      const call = isInternal ? plugin.fetchAccounts : plugin.fetchExternalAccounts;
      const page = valid(await offered(call, node.task)(request), accountProblem);
      const accounts = page.items.map((item) => ({ ...item, ...linked }));
      return toFetched(fetch, page, {
        parents: accounts,
        prepare: () => prepareAccounts(context, { connector, type, accounts }),
      });
    }
    case "FETCH_BALANCES": {
      const page = valid(await offered(plugin.fetchBalances, node.task)(request), balanceProblem);
      return toFetched(fetch, page, {
        prepare: () => prepareReports(context, { connector, balances: page.items }),
      });
    }
    case "FETCH_ORDERS": {
      const page = await offered(plugin.fetchOrders, node.task)(request);
      return toFetched(fetch, page, {
        prepare: () => prepareOrders(context, { connector, orders: page.items }),
      });
    }
    case "FETCH_CONVERSIONS": {
      const page = await offered(plugin.fetchConversions, node.task)(request);
      return toFetched(fetch, page, {
        prepare: () => prepareConversions(context, { connector, conversions: page.items }),
      });
    }
    case "FETCH_PAYMENTS": {
      const page = valid(await offered(plugin.fetchPayments, node.task)(request), paymentProblem);
      const { deleted = [] } = page;
      const payments = page.items.map((item) => ({ ...item, ...linked }));
      return toFetched(fetch, page, {
        prepare: async () =>
          joinPrepared(
            await preparePayments(context, { connector, payments }),
            await prepareDeletions(context, { connector, references: deleted }),
          ),
      });
    }
    case "FETCH_OTHERS": {
      const page = await offered(plugin.fetchOthers, node.task)(request);
      return toFetched(fetch, page, { parents: page.items, prepare: async () => NO_CHANGE });
    }
    case "CREATE_WEBHOOKS": {
      const parent = request.other ?? request.parent;
      const items = await registerWebhooks(context, { connector, plugin, parent });
      return toFetched(
        fetch,
        { items, state: undefined, hasMore: false },
        {
          prepare: async () => ({
            statements: configStatements(context, connector, items),
            events: [],
          }),
        },
      );
    }
  }
}

const NO_CHANGE: PreparedPage = { statements: [], events: [] };

/** A page with only its valid items; the others become rejected items. */
function valid<Page extends FetchPage<Item>, Item extends object>(
  page: Page,
  problemOf: (item: Page["items"][number]) => string | undefined,
): Page {
  const { items, rejected } = siftItems<Page["items"][number]>(page.items, problemOf);
  return { ...page, items, rejected: [...(page.rejected ?? []), ...rejected] };
}

/** The user and connection that own the items of a connection's page. */
const ownerOf = ({ connection }: FetchRequest): { psuId?: string; connectionId?: string } =>
  connection === undefined
    ? {}
    : { psuId: connection.user.id, connectionId: connection.connectionId };

/** The statements and events after all data of a connection has been fetched. */
function prepareSynced(
  { env, clock }: ServiceContext,
  {
    userKey,
    userId,
    connector,
    connection: { connectionId },
  }: {
    readonly userKey: number;
    readonly userId: string;
    readonly connector: InstalledConnector;
    readonly connection: LinkedUser;
  },
): PreparedPage {
  const now = clock();
  const about = { userId, connector: connector.id, connectionId };
  return {
    statements: [
      databaseOf(env)
        .update(paymentUserConnections)
        .set({ dataUpdatedAt: now })
        .where(isConnection({ userKey, connector, connectionId })),
    ],
    events: [{ event: syncedEvent(about, now) }],
  };
}

function offered<T>(call: T | undefined, task: string): T {
  if (call === undefined) {
    throw new ConnectorError("invalid", `the connector does not implement ${task}`);
  }
  return call;
}

const toRequest = ({ node, fetch }: NextFetch, pageSize: number): FetchRequest => ({
  ...(fetch.payload === null ? {} : toParent(node, parseJson(fetch.payload))),
  state: stateOf(fetch),
  pageSize,
});

/**
 * The parent item of a fetch, as `childStatements` has stored it. The parent's task, which precedes this one in the path,
 * says its type.
 */
const toParent = ({ path }: WalkNode, item: unknown): Pick<FetchRequest, "parent" | "other"> =>
  path.split("/").at(-2) === "FETCH_OTHERS"
    ? { other: item as ParentItem }
    : { parent: item as ProviderAccount };

const stateOf = ({ state }: ItemFetch): unknown => (state === null ? undefined : parseJson(state));

function toFetched(
  { state: before }: ItemFetch,
  { state, hasMore, rejected = [], read = [] }: FetchPage<unknown>,
  {
    parents = [],
    prepare,
  }: Partial<Pick<FetchedPage, "parents">> & {
    readonly prepare: () => Promise<PreparedPage & Partial<PreparedItems>>;
  },
): FetchedPage {
  const text = state === undefined || state === null ? undefined : stringifyJson(state);
  if (hasMore && text === (before ?? undefined)) {
    throw new ConnectorError("invalid", "the provider returns the same page without an end");
  }
  return {
    parents,
    hasMore,
    rejected,
    read,
    state: text,
    prepare: async () => {
      const prepared = await prepare();
      // Except for balances, each new or changed item has exactly one event.
      return { ...prepared, count: prepared.count ?? prepared.events.length };
    },
  };
}
