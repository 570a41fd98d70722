import { createHmac } from "node:crypto";
import { FakePsp, jsonAnswer, type PspRequest } from "./fake-psp.ts";

export const COINBASE_PRIME_CONFIG = {
  apiKey: "psp-secret-prime-key",
  apiSecret: "psp-secret-prime-secret",
  passphrase: "psp-secret-prime-passphrase",
  portfolioId: "portfolio-1",
};

interface Item {
  readonly id: string;
  readonly created_at: string;
  readonly [name: string]: unknown;
}

const PORTFOLIO = `/v1/portfolios/${COINBASE_PRIME_CONFIG.portfolioId}`;

/** The REST API of Coinbase Prime, version 1, of one portfolio. */
export class FakeCoinbasePrime extends FakePsp {
  readonly wallets: Item[] = [];
  readonly transactions: Item[] = [];
  readonly orders: Item[] = [];
  readonly assets = [
    { name: "Bitcoin", symbol: "BTC", decimal_precision: "8" },
    { name: "US Dollar", symbol: "USD", decimal_precision: "2" },
    { name: "USD Coin", symbol: "USDC", decimal_precision: "6" },
  ];
  #seconds = 0;

  constructor() {
    super({ origins: ["https://api.prime.coinbase.com"], refuse: refusalOf });
    this.route("GET", PORTFOLIO, () =>
      jsonAnswer({ portfolio: { id: "portfolio-1", name: "Main", entity_id: "entity-1" } }),
    );
    this.route("GET", "/v1/entities/entity-1/assets", () => jsonAnswer({ assets: this.assets }));
    this.route("GET", `${PORTFOLIO}/wallets`, (request) =>
      page(
        "wallets",
        this.wallets.filter(({ type }) => type === request.query.get("type")),
        request,
      ),
    );
    this.route("GET", `${PORTFOLIO}/wallets/:id/balance`, ({ params }) => {
      const wallet = this.wallets.find(({ id }) => id === params["id"]);
      if (wallet === undefined) return problem(404, "wallet not found");
      return jsonAnswer({ balance: { symbol: wallet["symbol"], amount: "0.5", holds: "0.1" } });
    });
    this.route("GET", `${PORTFOLIO}/transactions`, (request) => {
      const types = request.query.getAll("types");
      const wanted =
        types.length === 0
          ? this.transactions
          : this.transactions.filter(({ type }) => types.includes(String(type)));
      return page("transactions", since(wanted, request.query.get("start_time")), request);
    });
    this.route("GET", `${PORTFOLIO}/orders`, (request) => {
      const ended = this.orders.filter(({ status }) => status !== "OPEN");
      return page("orders", since(ended, request.query.get("start_date")), request);
    });
    this.route("GET", `${PORTFOLIO}/open_orders`, (request) =>
      page(
        "orders",
        this.orders.filter(({ status }) => status === "OPEN"),
        request,
      ),
    );
  }

  addWallet(more: object = {}): string {
    const id = `wallet-${this.wallets.length + 1}`;
    const type = this.wallets.length % 2 === 0 ? "TRADING" : "VAULT";
    this.wallets.push({ id, name: id, symbol: "BTC", type, created_at: this.#tick(), ...more });
    return id;
  }

  addTransaction(more: object = {}): string {
    const id = `transaction-${this.transactions.length + 1}`;
    const created_at = this.#tick();
    this.transactions.push({
      id,
      wallet_id: "wallet-1",
      portfolio_id: "portfolio-1",
      type: "DEPOSIT",
      status: "TRANSACTION_DONE",
      symbol: "BTC",
      created_at,
      completed_at: created_at,
      amount: "0.015",
      transfer_from: { type: "ADDRESS", value: "" },
      transfer_to: { type: "WALLET", value: "wallet-1" },
      network_fees: "",
      fees: "",
      fee_symbol: "",
      network: "bitcoin-mainnet",
      ...more,
    });
    return id;
  }

  addOrder(more: object = {}): string {
    const id = `order-${this.orders.length + 1}`;
    this.orders.push({
      id,
      product_id: "BTC-USD",
      side: "BUY",
      client_order_id: `client-${id}`,
      type: "LIMIT",
      base_quantity: "0.5",
      quote_value: "",
      limit_price: "50000.125",
      expiry_time: "",
      status: "FILLED",
      time_in_force: "GOOD_UNTIL_CANCELLED",
      created_at: this.#tick(),
      filled_quantity: "0.5",
      filled_value: "25000.05",
      average_filled_price: "50000.1",
      commission: "12.5",
      ...more,
    });
    return id;
  }

  changeOrder(id: string, more: object): void {
    const at = this.orders.findIndex((order) => order.id === id);
    const order = this.orders[at];
    if (order !== undefined) this.orders[at] = { ...order, ...more };
  }

  #tick(): string {
    this.#seconds++;
    return new Date(1_770_000_000_000 + this.#seconds * 1000).toISOString();
  }
}

/** The answer to a request with a wrong key or signature; undefined for a correct one. */
function refusalOf({ method, path, headers }: PspRequest): Response | undefined {
  const { apiKey, apiSecret, passphrase } = COINBASE_PRIME_CONFIG;
  const text = `${headers.get("x-cb-access-timestamp")}${method}${path}`;
  const signature = createHmac("sha256", apiSecret).update(text).digest("base64");
  const isKnown =
    headers.get("x-cb-access-key") === apiKey &&
    headers.get("x-cb-access-passphrase") === passphrase &&
    headers.get("x-cb-access-signature") === signature;
  return isKnown ? undefined : problem(401, "invalid api key");
}

const since = (items: readonly Item[], from: string | null): readonly Item[] =>
  from === null
    ? items
    : items.filter(({ created_at }) => Date.parse(created_at) >= Date.parse(from));

/** A page in the order of creation. A cursor is the number of the items before it. */
function page(name: string, items: readonly Item[], { query }: PspRequest): Response {
  if (query.get("sort_direction") !== "ASC") return problem(400, "invalid sort direction");
  const start = Number(query.get("cursor") ?? 0);
  const end = start + Number(query.get("limit"));
  const has_next = end < items.length;
  return jsonAnswer({
    [name]: items.slice(start, end),
    pagination: { next_cursor: has_next ? `${end}` : "", sort_direction: "ASC", has_next },
  });
}

export const problem = (status: number, message: string): Response =>
  jsonAnswer({ message }, status);
