import { createHmac } from "node:crypto";
import { cursorPage, FakePsp, jsonAnswer, type PspRequest } from "./fake-psp.ts";
import { basicAuth } from "#modules/payments/connectors/kit/signatures.ts";
import { formatTimestamp, fromMillis, type Timestamp } from "#platform/time.ts";
import type { Sent } from "#test/support/payments/conformance/subject.ts";

export const COLUMN_CONFIG = {
  apiKey: "psp-secret-column-key",
  endpoint: "https://api.column.example",
};

type Value = Readonly<Record<string, unknown>>;
interface Item extends Value {
  readonly id: string;
}

/** The lists of the API by the prefix of their objects' ids. */
const LISTS = {
  "/bank-accounts": { name: "bank_accounts", prefix: "bacc" },
  "/counterparties": { name: "counterparties", prefix: "cpty" },
  "/transfers": { name: "transfers", prefix: "trnf" },
  "/webhook-endpoints": { name: "webhook_endpoints", prefix: "wbep" },
} as const;
type List = keyof typeof LISTS;

/** The paths of transfers, with the type of each in the list of all transfers. */
const RAILS: Readonly<Record<string, string>> = {
  book: "BOOK",
  ach: "ACH_CREDIT",
  wire: "WIRE",
  realtime: "REALTIME",
  "international-wire": "SWIFT",
};

/** The reference of an account that accepts no money. */
export const CLOSED_ACCOUNT = "closed";

const BEGIN_MS = Date.parse("2026-02-02T02:40:00Z");

/** The API of Column, with lists that begin with their newest object. */
export class FakeColumn extends FakePsp {
  readonly #lists: Record<List, Item[]> = {
    "/bank-accounts": [],
    "/counterparties": [],
    "/transfers": [],
    "/webhook-endpoints": [],
  };
  readonly #byKey = new Map<string, { readonly text: string; readonly answer: Item }>();
  /** Members that replace those of new transfers. */
  answered: Value = {};
  #count = 0;

  constructor() {
    super({
      origins: [COLUMN_CONFIG.endpoint],
      refuse: ({ headers }) =>
        headers.get("authorization") === basicAuth("", COLUMN_CONFIG.apiKey)
          ? undefined
          : problem(401, "api_key_invalid", "API key is invalid."),
    });
    for (const list of Object.keys(LISTS) as List[]) {
      this.route("GET", list, (request) => this.#page(list, request));
    }
    this.route("GET", "/bank-accounts/:id", ({ params }) => {
      const account = this.#lists["/bank-accounts"].find(({ id }) => id === params["id"]);
      return account === undefined
        ? problem(404, "not_found", "No such bank account.")
        : jsonAnswer(account);
    });
    this.route("POST", "/counterparties", (request) =>
      this.#once(request, () => this.addCounterparty(request.json())),
    );
    for (const rail of Object.keys(RAILS)) {
      this.route("POST", `/transfers/${rail}`, (request) => this.#transfer(rail, request));
    }
    this.route("POST", "/transfers/ach/:id/reverse", (request) => this.#reverse(request));
    this.#routeEndpoints();
  }

  #routeEndpoints(): void {
    const endpoints = this.#lists["/webhook-endpoints"];
    this.route("POST", "/webhook-endpoints", ({ json }) => {
      const secret = `psp-secret-column-${this.#count}`;
      const endpoint = this.#add("/webhook-endpoints", {
        ...json(),
        description: "",
        is_disabled: false,
        secret,
      });
      return jsonAnswer(endpoint);
    });
    this.route("DELETE", "/webhook-endpoints/:id", ({ params }) => {
      const at = endpoints.findIndex(({ id }) => id === params["id"]);
      if (at < 0) return problem(404, "not_found", "No such webhook endpoint.");
      const [removed] = endpoints.splice(at, 1);
      return jsonAnswer(removed);
    });
  }

  itemsOf(list: List): Item[] {
    return this.#lists[list];
  }

  addAccount(more: Value = {}): string {
    return this.#add("/bank-accounts", {
      bic: "CLNOUS66XXX",
      balances: { available_amount: 120_50, holding_amount: 0, locked_amount: 0 },
      currency_code: "USD",
      default_account_number: "256700031236543",
      default_account_number_id: "acno_1",
      description: "operations",
      display_name: "Main account",
      is_overdraftable: false,
      owners: ["enti_1"],
      routing_number: "121145307",
      type: "CHECKING",
      ...more,
    }).id;
  }

  addCounterparty(more: Value = {}): Item {
    return this.#add("/counterparties", {
      account_number: "91000123451012",
      account_type: "CHECKING",
      description: "rent",
      is_column_account: false,
      name: "Landlord",
      routing_number: "322271627",
      routing_number_type: "aba",
      ...more,
    });
  }

  /** Adds a transfer to the list of all transfers; returns its id. */
  addTransfer(more: Value = {}): string {
    return this.#add("/transfers", { ...TRANSFER, ...more }).id;
  }

  /** A signed delivery of an event to an endpoint. */
  notify(urlPath: string, { type, data, at }: { type: string; data: Value; at?: Timestamp }): Sent {
    const event = {
      id: `evnt_${++this.#count}`,
      created_at: at === undefined ? this.#now() : formatTimestamp(at),
      type,
      data,
    };
    const body = JSON.stringify(event);
    const endpoint = this.itemsOf("/webhook-endpoints").find(({ url }) =>
      String(url).endsWith(urlPath),
    );
    const key = String(endpoint?.["secret"]);
    const signature = createHmac("sha256", key).update(body).digest("hex");
    return {
      headers: { "Column-Signature": signature, "content-type": "application/json" },
      body,
    };
  }

  #now(): string {
    return formatTimestamp(fromMillis(BEGIN_MS + this.#count * 1000));
  }

  #add(list: List, value: Value): Item {
    const id = `${LISTS[list].prefix}_${++this.#count}`;
    const item = { id, created_at: this.#now(), updated_at: this.#now(), ...value };
    this.#lists[list].unshift(item);
    return item;
  }

  #page(list: List, { query }: PspRequest): Response {
    const size = Number(query.get("limit"));
    if (!(size >= 1 && size <= 100)) {
      return problem(400, "invalid_request", "limit is between 1 and 100");
    }
    const [after, before] = [query.get("starting_after"), query.get("ending_before")];
    const { page, hasMore } = cursorPage(this.itemsOf(list), { after, before, size });
    return jsonAnswer({ [LISTS[list].name]: page, has_more: hasMore });
  }

  #transfer(rail: string, request: PspRequest): Response {
    const asked = request.json();
    const receiver = asked["counterparty_id"] ?? asked["receiver_bank_account_id"];
    if (receiver === CLOSED_ACCOUNT) return problem(400, "account_closed", "It is closed.");
    return this.#once(request, () => {
      const status = rail === "book" ? "COMPLETED" : "initiated";
      const { type: _type, ...fields } = asked;
      const listed = { ...TRANSFER, status, ...fields, type: RAILS[rail], ...this.answered };
      const item = this.#add("/transfers", listed);
      return { ...item, type: asked["type"] };
    });
  }

  #reverse(request: PspRequest): Response {
    const original = this.itemsOf("/transfers").find(({ id }) => id === request.params["id"]);
    if (original === undefined) return problem(404, "not_found", "No such transfer.");
    return this.#once(request, () => {
      const { id: _id, created_at: _at, ...reversed } = original;
      return this.#add("/transfers", { ...reversed, type: "ACH_DEBIT", status: "initiated" });
    });
  }

  /** Answers a repeated idempotency key as the first time, or refuses it if the body differs. */
  #once({ headers, text, path }: PspRequest, make: () => Item): Response {
    const key = `${path} ${headers.get("idempotency-key")}`;
    if (headers.get("idempotency-key") === null) throw new Error(`${path} has no idempotency key`);
    const known = this.#byKey.get(key);
    if (known !== undefined && known.text !== text) {
      return problem(400, "idempotency_key_reused", "The body is another one.");
    }
    const answer = known?.answer ?? make();
    this.#byKey.set(key, { text, answer });
    return jsonAnswer(answer);
  }
}

/** A payout by ACH. */
const TRANSFER = {
  amount: 10_50,
  bank_account_id: "bacc_1",
  counterparty_id: "cpty_2",
  currency_code: "USD",
  description: "rent",
  is_incoming: false,
  status: "submitted",
  type: "ACH_CREDIT",
};

export const problem = (status: number, code: string, message: string): Response =>
  jsonAnswer(
    { type: status < 500 ? "invalid_request" : "internal_error", code, message, details: {} },
    status,
  );
