import type { ItemFetch, NextFetch } from "./schedule.ts";
import { prepareAccounts } from "#modules/payments/accounts/ingest.ts";
import { prepareBalances } from "#modules/payments/balances/ingest.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { FetchPage, FetchRequest, Plugin } from "#modules/payments/connectors/contract.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";
import { joinPrepared, type PreparedPage } from "#modules/payments/ingest.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { prepareDeletions } from "#modules/payments/payments/delete.ts";
import { preparePayments } from "#modules/payments/payments/ingest.ts";
import type { ServiceContext } from "#platform/context.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** A page that came from the provider, and how it is stored. */
export interface FetchedPage {
  readonly count: number;
  readonly hasMore: boolean;
  /** JSON of the plugin's new state; undefined where it keeps none. */
  readonly state: string | undefined;
  /** The items that other fetches hang on. */
  readonly parents: readonly ProviderAccount[];
  /** May be called again, where other changes came between. */
  readonly prepare: () => Promise<PreparedPage>;
}

/** Asks the provider for the next page of a fetch. Throws `ConnectorError`. */
export async function fetchPage(
  context: ServiceContext,
  {
    connector,
    plugin,
    next,
    pageSize,
  }: {
    readonly connector: InstalledConnector;
    readonly plugin: Plugin;
    readonly next: NextFetch;
    readonly pageSize: number;
  },
): Promise<FetchedPage> {
  const { node, fetch } = next;
  const request = toRequest(fetch, pageSize);
  switch (node.task) {
    case "FETCH_ACCOUNTS":
    case "FETCH_EXTERNAL_ACCOUNTS": {
      const isInternal = node.task === "FETCH_ACCOUNTS";
      const type = isInternal ? "INTERNAL" : "EXTERNAL";
      const call = isInternal ? plugin.fetchAccounts : plugin.fetchExternalAccounts;
      const page = await offered(call, node.task)(request);
      return toFetched(fetch, page, {
        parents: page.items,
        prepare: () => prepareAccounts(context, { connector, type, accounts: page.items }),
      });
    }
    case "FETCH_BALANCES": {
      const page = await offered(plugin.fetchBalances, node.task)(request);
      return toFetched(fetch, page, {
        parents: [],
        prepare: () => prepareBalances(context, { connector, balances: page.items }),
      });
    }
    case "FETCH_PAYMENTS": {
      const page = await offered(plugin.fetchPayments, node.task)(request);
      const { deleted = [] } = page;
      return toFetched(fetch, page, {
        parents: [],
        prepare: async () =>
          joinPrepared(
            await preparePayments(context, { connector, payments: page.items }),
            await prepareDeletions(context, { connector, references: deleted }),
          ),
      });
    }
  }
}

function offered<T>(call: T | undefined, task: string): T {
  if (call === undefined) {
    throw new ConnectorError("invalid", `the connector does not implement ${task}`);
  }
  return call;
}

const toRequest = ({ payload, state }: ItemFetch, pageSize: number): FetchRequest => ({
  // The engine has stored both.
  ...(payload === null ? {} : { parent: parseJson(payload) as ProviderAccount }),
  state: state === null ? undefined : parseJson(state),
  pageSize,
});

function toFetched(
  { state: before }: ItemFetch,
  { items, state, hasMore }: FetchPage<unknown>,
  page: Pick<FetchedPage, "parents" | "prepare">,
): FetchedPage {
  const text = state === undefined || state === null ? undefined : stringifyJson(state);
  if (hasMore && text === (before ?? undefined)) {
    throw new ConnectorError("invalid", "the provider gives pages without an end");
  }
  return { ...page, count: items.length, hasMore, state: text };
}
