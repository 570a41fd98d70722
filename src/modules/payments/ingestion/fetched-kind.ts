import type { PreparedPage } from "./page.ts";
import { partitionItems } from "./partition.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type {
  FetchPage,
  FetchRequest,
  ItemTask,
  Plugin,
} from "#modules/payments/connectors/contract.ts";
import type { ParentItem } from "#modules/payments/connectors/webhook-contract.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { Timestamp } from "#platform/time.ts";

/** The name of an operation of plugins that fetches pages of items. */
export type FetchOperation = Extract<keyof Plugin, `fetch${string}`>;
type PageOf<Name extends FetchOperation> = Awaited<ReturnType<NonNullable<Plugin[Name]>>>;
type ItemOf<Name extends FetchOperation> = PageOf<Name>["items"][number];

/**
 * A kind of items that providers are polled for. An entity describes its kind in its `ingestion.ts` with `fetchedKind`, and
 * `polling/fetched-kinds.ts` names the kind by its task:
 *
 *     operation ── page ──> problemOf ── valid items ──> prepare ──> statements and events
 *                               └─ the other items are set aside
 */
export interface FetchedKind {
  readonly operation: FetchOperation;
  /** The problem of an item of the kind; undefined for a valid item. */
  readonly problemOf: (item: object) => string | undefined;
  /** Fetches a page. Throws `ConnectorError`. */
  readonly fetch: (context: ServiceContext, ask: PageAsk) => Promise<FetchedItems>;
}

export interface PageAsk {
  readonly task: ItemTask;
  readonly connector: InstalledConnector;
  readonly plugin: Plugin;
  readonly request: FetchRequest;
}

/** A page of a provider, and how its valid items are stored. */
export interface FetchedItems {
  readonly page: FetchPage<object>;
  /** The items below which other fetches are made. */
  readonly parents: readonly ParentItem[];
  /** Prepares the items for storage. It is called again if other changes were stored meanwhile. */
  readonly prepare: () => Promise<PreparedItems>;
}

export interface PreparedItems extends PreparedPage {
  /** The number of items that are new or have changed; the number of events if it is absent. */
  readonly count?: number;
  /** Balances that the page confirms without a change of the amount. */
  readonly confirmed?: readonly Confirmation[];
}

/** A report that an open balance has not changed. */
export interface Confirmation {
  /** The key of the balance's row. */
  readonly key: number;
  readonly at: Timestamp;
}

interface KindOf<Name extends FetchOperation> {
  readonly operation: Name;
  /** The problem of an item. Invalid items are set aside, and the others of their page are stored. */
  readonly problemOf?: (item: ItemOf<Name>) => string | undefined;
  /** Whether items of a user's connection are stored with the user and the connection. */
  readonly hasOwner?: boolean;
  /** The items below which other fetches are made; none by default. */
  readonly parentsOf?: (page: PageOf<Name>) => readonly ParentItem[];
  readonly prepare: (
    context: ServiceContext,
    fetched: { readonly connector: InstalledConnector; readonly page: PageOf<Name> },
  ) => Promise<PreparedItems>;
}

export const fetchedKind = <Name extends FetchOperation>({
  operation,
  problemOf,
  hasOwner = false,
  parentsOf = () => [],
  prepare,
}: KindOf<Name>): FetchedKind => ({
  operation,
  problemOf: (item) => problemOf?.(item as ItemOf<Name>), // callers have the item from the operation
  fetch: async (context, { task, connector, plugin, request }) => {
    const fetchPage = plugin[operation];
    if (fetchPage === undefined) {
      throw new ConnectorError("invalid", `the connector does not implement ${task}`);
    }
    const fetched = (await fetchPage(request)) as PageOf<Name>; // the compiler does not follow the name
    const valid = problemOf === undefined ? fetched : withoutInvalid(fetched, problemOf);
    const page = hasOwner ? withOwner(valid, request) : valid;
    return {
      page,
      parents: parentsOf(page),
      prepare: () => prepare(context, { connector, page }),
    };
  },
});

/** A page with only its valid items; the others become rejected items. */
function withoutInvalid<Page extends FetchPage<object>>(
  page: Page,
  problemOf: (item: Page["items"][number]) => string | undefined,
): Page {
  const { items, rejected } = partitionItems<Page["items"][number]>(page.items, problemOf);
  return { ...page, items, rejected: [...(page.rejected ?? []), ...rejected] };
}

/** A page with the user and the connection that own its items, if it was fetched for a connection. */
function withOwner<Page extends FetchPage<object>>(page: Page, { connection }: FetchRequest): Page {
  if (connection === undefined) return page;
  const owner = { psuId: connection.user.id, connectionId: connection.connectionId };
  return { ...page, items: page.items.map((item) => ({ ...item, ...owner })) };
}
