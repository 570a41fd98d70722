import { createHmac } from "node:crypto";
import { FakePsp, jsonAnswer, type PspRequest } from "./fake-psp.ts";
import { parseTimestamp, type Timestamp, toMillis } from "#platform/time.ts";
import type { Sent } from "#test/support/payments/conformance/subject.ts";

export const INCREASE_CONFIG = {
  apiKey: "psp-secret-increase-key",
  endpoint: "https://api.increase.example",
  webhookSharedSecret: "psp-secret-increase-webhooks",
};

type Value = Readonly<Record<string, unknown>>;

interface Item extends Value {
  readonly id: string;
  readonly created_at: string;
}

interface Subscription extends Item {
  readonly url: string;
  readonly status: string;
  readonly selected_event_category: string;
}

/** The lists of the API by the provider's prefix of their objects' ids. */
const LISTS = {
  accounts: "account_in",
  external_accounts: "external_account_",
  pending_transactions: "pending_transaction_",
  transactions: "transaction_",
  declined_transactions: "declined_transaction_",
  account_transfers: "account_transfer_",
  ach_transfers: "ach_transfer_",
  wire_transfers: "wire_transfer_",
  check_transfers: "check_transfer_",
  real_time_payments_transfers: "real_time_payments_transfer_",
  event_subscriptions: "event_subscription_",
} as const;
export type IncreaseList = keyof typeof LISTS;

const TRANSFERS = [
  "account_transfers",
  "ach_transfers",
  "wire_transfers",
  "check_transfers",
  "real_time_payments_transfers",
] as const;

/** The reference of an account that accepts no money. */
export const CLOSED_ACCOUNT = "external_account_closed";

/** The API of Increase, with lists behind cursors that begin with their newest object. */
export class FakeIncrease extends FakePsp {
  readonly #lists = new Map<string, Item[]>();
  /** The secrets of event subscriptions, which the API does not show. */
  readonly #secrets = new Map<string, string>();
  readonly #byKey = new Map<string, { readonly text: string; readonly item: Item }>();
  /** Members that replace those of new transfers. */
  answered: Value = {};
  #count = 0;

  constructor() {
    super({
      origins: [INCREASE_CONFIG.endpoint],
      refuse: ({ headers }) =>
        headers.get("authorization") === `Bearer ${INCREASE_CONFIG.apiKey}`
          ? undefined
          : problem(401, "invalid_api_key_error"),
    });
    for (const list of Object.keys(LISTS) as IncreaseList[]) {
      this.route("GET", `/${list}`, (request) => page(this.itemsOf(list), request));
      this.route("GET", `/${list}/:id`, ({ params }) =>
        found(this.itemsOf(list).find(({ id }) => id === params["id"])),
      );
    }
    this.route("GET", "/accounts/:id/balance", ({ params }) => {
      const account = this.itemsOf("accounts").find(({ id }) => id === params["id"]);
      return found(
        account && {
          account_id: account.id,
          available_balance: account["available"],
          current_balance: 99,
          type: "balance_lookup",
        },
      );
    });
    for (const list of TRANSFERS) {
      this.route("POST", `/${list}`, (request) => this.#make(list, request, this.#transferOf));
    }
    this.route("POST", "/external_accounts", (request) =>
      this.#make("external_accounts", request, (given) => ({ ...EXTERNAL, ...given })),
    );
    this.#subscriptionRoutes();
  }

  #subscriptionRoutes(): void {
    this.route("POST", "/event_subscriptions", ({ json }) => {
      const { shared_secret: secret, ...shown } = json();
      const item = this.add("event_subscriptions", { status: "active", ...shown });
      this.#secrets.set(item.id, String(secret));
      return jsonAnswer(item);
    });
    this.route("PATCH", "/event_subscriptions/:id", ({ params, json }) => {
      const items = this.itemsOf("event_subscriptions");
      const at = items.findIndex(({ id }) => id === params["id"]);
      const item = items[at];
      if (item === undefined) return problem(404, "object_not_found_error");
      items[at] = { ...item, ...json() };
      return jsonAnswer(items[at]);
    });
  }

  itemsOf(list: IncreaseList): Item[] {
    const items = this.#lists.get(list) ?? [];
    this.#lists.set(list, items);
    return items;
  }

  /** Adds an object that is newer than all others; returns it. */
  add(list: IncreaseList, more: Value = {}): Item {
    this.#count++;
    const item: Item = {
      id: `${LISTS[list]}${this.#count}`,
      created_at: new Date(1_770_000_000_000 + this.#count * 1000).toISOString(),
      ...more,
    };
    this.itemsOf(list).push(item);
    return item;
  }

  addAccount(more: Value = {}): string {
    return this.add("accounts", {
      type: "account",
      bank: "first_internet_bank",
      currency: "USD",
      entity_id: "entity_1",
      interest_rate: "0.055",
      name: "My first account!",
      status: "open",
      available: 1050,
      ...more,
    }).id;
  }

  addExternalAccount(more: Value = {}): string {
    return this.add("external_accounts", { ...EXTERNAL, ...more }).id;
  }

  /** Adds a transaction whose source has a category. */
  addTransaction(
    list: IncreaseList,
    category: string,
    { details = {}, ...more }: Value & { readonly details?: Value } = {},
  ): string {
    return this.add(list, {
      type: list.slice(0, -1),
      account_id: "account_in1",
      amount: -1050,
      currency: "USD",
      description: "INVOICE 2468",
      route_id: null,
      route_type: null,
      source: { category, [category]: { amount: -1050, ...details } },
      ...more,
    }).id;
  }

  /** A delivery about an object, signed with the secret of the subscription for its category. */
  notify(category: string, object: string, at: Timestamp): Sent {
    this.#count++;
    const body = JSON.stringify({
      id: `event_${this.#count}`,
      associated_object_id: object,
      associated_object_type: category.split(".")[0],
      category,
      created_at: at,
      type: "event",
    });
    const subscriptions = this.itemsOf("event_subscriptions") as Subscription[];
    const active = subscriptions.find(
      ({ status, selected_event_category }) =>
        status === "active" && selected_event_category === category,
    );
    const key = this.#secrets.get(active?.id ?? "") ?? INCREASE_CONFIG.webhookSharedSecret;
    return { headers: { "Increase-Webhook-Signature": signature(key, body, at) }, body };
  }

  readonly #transferOf = (given: Value): Value | Response => {
    if (given["external_account_id"] === CLOSED_ACCOUNT) {
      return problem(409, "invalid_operation_error");
    }
    return { currency: "USD", status: "pending_submission", ...given, ...this.answered };
  };

  /** Makes an object. A repeated idempotency key gets the first object, or is refused if the body differs. */
  #make(
    list: IncreaseList,
    { headers, text, json }: PspRequest,
    toItem: (given: Value) => Value | Response,
  ): Response {
    const key = headers.get("idempotency-key") ?? "";
    if (!/^[0-9a-f]{64}$/.test(key)) return problem(400, "invalid_parameters_error");
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      return known.text === text
        ? jsonAnswer(known.item)
        : problem(409, "idempotency_key_already_used_error");
    }
    const made = toItem(json());
    if (made instanceof Response) return made;
    const item = this.add(list, made);
    this.#byKey.set(key, { text, item });
    return jsonAnswer(item);
  }
}

const EXTERNAL = {
  type: "external_account",
  account_holder: "business",
  account_number: "987654321012",
  description: "Landlord",
  funding: "checking",
  routing_number: "101050001",
  status: "active",
};

/** The signature header of a delivery. */
function signature(key: string, body: string, at: Timestamp): string {
  const time = new Date(toMillis(at)).toISOString().replace(".000Z", "Z");
  const hex = (secret: string) =>
    createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
  // During a change of the secret, the provider signs with the old and the new one.
  return `t=${time},v1=${hex("an older secret")},v1=${hex(key)}`;
}

function page(items: readonly Item[], { query }: PspRequest): Response {
  const since = parseTimestamp(query.get("created_at.on_or_after") ?? "1970-01-01T00:00:00Z");
  const wanted = items
    .filter(({ created_at }) => (parseTimestamp(created_at) ?? "") >= (since ?? ""))
    .toReversed();
  const cursor = query.get("cursor");
  const start = cursor === null ? 0 : wanted.findIndex(({ id }) => btoa(id) === cursor) + 1;
  const data = wanted.slice(start, start + Number(query.get("limit")));
  const last = data.at(-1);
  const isEnd = last === undefined || start + data.length >= wanted.length;
  return jsonAnswer({ data, next_cursor: isEnd ? null : btoa(last.id) });
}

const found = (value: Value | undefined): Response =>
  value === undefined ? problem(404, "object_not_found_error") : jsonAnswer(value);

export const problem = (status: number, type: string): Response =>
  jsonAnswer({ type, title: "It is not possible", detail: null, status, errors: [] }, status);
