import { FETCHED_KINDS } from "./fetched-kinds.ts";
import type { VisitedNode } from "./preorder.ts";
import type { NextFetch } from "./schedule.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { FetchRequest, LinkedUser, Plugin } from "#modules/payments/connectors/contract.ts";
import type {
  ProviderAccount,
  RejectedItem,
} from "#modules/payments/connectors/provider-objects.ts";
import type { ParentItem } from "#modules/payments/connectors/webhook-contract.ts";
import type {
  FetchedItems,
  PageAsk,
  PreparedItems,
} from "#modules/payments/ingestion/fetched-kind.ts";
import { joinPrepared, type PreparedPage } from "#modules/payments/ingestion/page.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
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
  readonly prepare: () => Promise<PreparedItems & { readonly count: number }>;
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
  prepare: async () => ({ statements: [], events: [], count: 0 }),
};

async function fetchItems(
  context: ServiceContext,
  { connector, plugin, next: { node, fetch } }: Fetch,
  request: FetchRequest,
): Promise<FetchedPage> {
  const { task } = node;
  const ask = { connector, plugin, request };
  const items =
    task === "CREATE_WEBHOOKS"
      ? await createWebhooks(context, ask)
      : await FETCHED_KINDS[task].fetch(context, { task, ...ask });
  return toFetched(fetch, items);
}

/** Registers webhooks at the provider. Their configurations are stored like the items of a page. */
async function createWebhooks(
  context: ServiceContext,
  { connector, plugin, request }: Omit<PageAsk, "task">,
): Promise<FetchedItems> {
  const parent = request.other ?? request.parent;
  const items = await registerWebhooks(context, { connector, plugin, parent });
  return {
    page: { items, state: undefined, hasMore: false },
    parents: [],
    prepare: async () => ({ statements: configStatements(context, connector, items), events: [] }),
  };
}

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

const toRequest = ({ node, fetch }: NextFetch, pageSize: number): FetchRequest => ({
  ...(fetch.payload === null ? {} : toParent(node, parseJson(fetch.payload))),
  state: stateOf(fetch),
  pageSize,
});

/**
 * The parent item of a fetch, as `childStatements` has stored it. The parent's task, which precedes this one in the path,
 * says its type.
 */
const toParent = ({ path }: VisitedNode, item: unknown): Pick<FetchRequest, "parent" | "other"> =>
  path.split("/").at(-2) === "FETCH_OTHERS"
    ? { other: item as ParentItem }
    : { parent: item as ProviderAccount };

const stateOf = ({ state }: ItemFetch): unknown => (state === null ? undefined : parseJson(state));

function toFetched(
  { state: before }: ItemFetch,
  { page: { state, hasMore, rejected = [], read = [] }, parents, prepare }: FetchedItems,
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
