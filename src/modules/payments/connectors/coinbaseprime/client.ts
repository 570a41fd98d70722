import { z } from "zod";
import type { CoinbasePrimeConfig } from "./config.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { type Clock, type Timestamp, toMillis } from "#platform/time.ts";

/** A page of a list, and the cursor of the next page; undefined for the last page. */
export interface CursorPage {
  readonly values: readonly unknown[];
  readonly next: string | undefined;
}

/** Which page of a list is asked for. */
export interface CursorPlace {
  /** When the first item was made at the earliest; undefined for all items. */
  readonly from: Timestamp | undefined;
  readonly cursor: string | undefined;
  readonly pageSize: number;
}

/** Kinds of wallets whose balance the provider tells. */
export const WALLET_TYPES = ["TRADING", "VAULT"] as const;
export type WalletType = (typeof WALLET_TYPES)[number];

const Portfolio = z.object({ portfolio: z.object({ entity_id: kit.Text }) });
const Balance = z.object({ balance: z.unknown() });
const AssetList = z.object({ assets: z.array(z.unknown()) });
const Pagination = z.object({ next_cursor: kit.OptionalText, has_next: z.boolean().nullish() });

interface ClientOptions {
  readonly fetch: kit.ProviderFetch;
  readonly clock: Clock;
  readonly baseUrl: string;
}

/** The REST API of Coinbase Prime, version 1. */
export class CoinbasePrimeClient {
  readonly #api: kit.ApiClient;
  readonly #config: CoinbasePrimeConfig;
  readonly #clock: Clock;
  readonly #basePath: string;
  readonly #portfolio: string;

  constructor(config: CoinbasePrimeConfig, { fetch, clock, baseUrl }: ClientOptions) {
    this.#api = new kit.ApiClient(fetch, { baseUrl, headers: () => ({}) });
    this.#config = config;
    this.#clock = clock;
    this.#basePath = new URL(baseUrl).pathname.replace(/\/+$/, "");
    this.#portfolio = `/v1/portfolios/${encodeURIComponent(config.portfolioId)}`;
  }

  /** The id of the entity that the portfolio belongs to. */
  async entityId(): Promise<string> {
    const { portfolio } = await this.#read({ path: this.#portfolio }, Portfolio, "the portfolio");
    return portfolio.entity_id;
  }

  async listAssets(entityId: string): Promise<readonly unknown[]> {
    const path = `/v1/entities/${encodeURIComponent(entityId)}/assets`;
    return (await this.#read({ path }, AssetList, "the assets")).assets;
  }

  listWallets(
    type: WalletType,
    place: Pick<CursorPlace, "cursor" | "pageSize">,
  ): Promise<CursorPage> {
    return this.#list("wallets", { path: "/wallets", query: { type } }, place);
  }

  /** The balance of a wallet; undefined where the wallet is gone. */
  async balanceOf(walletId: string): Promise<unknown> {
    const path = `${this.#portfolio}/wallets/${encodeURIComponent(walletId)}/balance`;
    const answer = await this.#api.find(this.#signed({ path }), Balance, "the balance");
    return answer?.balance;
  }

  /** Transactions by the time at which they were made, of some types where these are given. */
  listTransactions(place: CursorPlace, types: readonly string[] = []): Promise<CursorPage> {
    const query = { types, start_time: place.from };
    return this.#list("transactions", { path: "/transactions", query }, place);
  }

  /** Orders that are not open any more, by the time at which they were made. */
  listOrders(place: CursorPlace): Promise<CursorPage> {
    return this.#list("orders", { path: "/orders", query: { start_date: place.from } }, place);
  }

  listOpenOrders(place: CursorPlace): Promise<CursorPage> {
    return this.#list("orders", { path: "/open_orders" }, place);
  }

  async #list(
    name: string,
    { path, query }: Pick<kit.ApiCall, "path" | "query">,
    { cursor, pageSize }: Pick<CursorPlace, "cursor" | "pageSize">,
  ): Promise<CursorPage> {
    const schema = z.object({ [name]: z.array(z.unknown()), pagination: Pagination.nullish() });
    const call = {
      path: `${this.#portfolio}${path}`,
      query: { ...query, cursor, limit: pageSize, sort_direction: "ASC" },
    };
    const answer = await this.#read(call, schema, name);
    const { pagination } = answer as { pagination?: z.output<typeof Pagination> | null }; // computed keys lose their names
    const next = pagination?.has_next === true ? pagination.next_cursor : undefined;
    return { values: answer[name] as readonly unknown[], next };
  }

  #read<S extends z.ZodType>(call: kit.ApiCall, schema: S, what: string): Promise<z.output<S>> {
    return this.#api.read(this.#signed(call), schema, what);
  }

  /** A call with its signature: the HMAC of the time, the method and the path without parameters. */
  #signed(call: kit.ApiCall): kit.ApiCall {
    const { apiKey, apiSecret, passphrase } = this.#config;
    const seconds = Math.floor(toMillis(this.#clock()) / 1000);
    const text = `${seconds}GET${this.#basePath}${call.path}`;
    const headers = {
      "x-cb-access-key": apiKey,
      "x-cb-access-passphrase": passphrase,
      "x-cb-access-timestamp": `${seconds}`,
      "x-cb-access-signature": kit.hmacSha256({ key: apiSecret, text, encoding: "base64" }),
    };
    return { ...call, headers };
  }
}
