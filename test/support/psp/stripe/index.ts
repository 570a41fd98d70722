import { createHmac } from "node:crypto";
import * as made from "./objects.ts";
import type { StripeValue } from "./objects.ts";
import { endpointOf, filtered, missing, problem, writtenIn } from "./wire.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";
import type { Sent } from "#test/support/payments/conformance/subject.ts";
import { cursorPage, FakePsp, jsonAnswer, type PspRequest } from "#test/support/psp/fake-psp.ts";

export const STRIPE_KEY = "sk_test_psp-secret-stripe";
export const STRIPE_ROOT = "acct_root";
/** The first second of the provider's clock. */
const BEGIN = 1_770_000_000;

/** The objects of one account, in lists that begin with their newest object. */
class Books {
  readonly transactions: StripeValue[] = [];
  readonly transfers: StripeValue[] = [];
  readonly payouts: StripeValue[] = [];
  readonly refunds: StripeValue[] = [];
  readonly externalAccounts: StripeValue[] = [];
  readonly available: { amount: number; currency: string }[] = [];
}

/** The API of Stripe, with a platform account, the accounts connected to it, and its webhooks. */
export class FakeStripe extends FakePsp {
  /** Connected accounts, newest first. */
  readonly accounts: StripeValue[] = [];
  readonly endpoints: StripeValue[] = [];
  /** Objects that other objects refer to, by their ids. */
  readonly objects = new Map<string, StripeValue>();
  /** The time of the newest object, in seconds. */
  seconds = BEGIN;
  readonly #books = new Map([[STRIPE_ROOT, new Books()]]);
  readonly #secrets = new Map<string, string>();
  readonly #answered = new Map<string, { readonly request: string; readonly text: string }>();
  #count = 0;

  constructor() {
    super({ origins: ["https://api.stripe.com"], refuse: (request) => this.#refuse(request) });
    const own = { type: "standard", email: "owner@example.com" };
    this.objects.set(STRIPE_ROOT, made.account(STRIPE_ROOT, { created: BEGIN, ...own }));
    this.route("GET", "/v1/account", () => jsonAnswer(this.objects.get(STRIPE_ROOT)));
    this.route("GET", "/v1/accounts", (request) => this.#page(this.accounts, request));
    this.route("GET", "/v1/accounts/:id/external_accounts", (request) => this.#banks(request));
    this.route("GET", "/v1/balance", (request) =>
      jsonAnswer({ object: "balance", available: this.#booksOf(request).available, pending: [] }),
    );
    this.route("GET", "/v1/balance_transactions", (request) =>
      this.#page(this.#booksOf(request).transactions, request),
    );
    this.route("GET", "/v1/balance_transactions/:id", (request) => this.#one(request));
    this.route("GET", "/v1/refunds", (request) => {
      const charge = request.query.get("charge");
      const refunds = this.#booksOf(request).refunds;
      return this.#page(
        charge === null ? refunds : refunds.filter((it) => it["charge"] === charge),
        request,
      );
    });
    this.#routeMoney();
    this.#routeEndpoints();
  }

  #routeMoney(): void {
    this.route("GET", "/v1/transfers", (request) =>
      this.#page(filtered(this.#booksOf(request).transfers, request), request),
    );
    this.route("GET", "/v1/payouts", (request) =>
      this.#page(filtered(this.#booksOf(request).payouts, request), request),
    );
    this.route("POST", "/v1/transfers", (request) =>
      this.#once(request, () => this.#move(request, "transfer")),
    );
    this.route("POST", "/v1/payouts", (request) =>
      this.#once(request, () => this.#move(request, "payout")),
    );
    this.route("POST", "/v1/transfers/:id/reversals", (request) =>
      this.#once(request, () => this.#reverse(request)),
    );
    this.route("GET", "/v1/transfers/:id/reversals", (request) =>
      this.#page(this.#reversalsOf(request.params["id"] ?? ""), request),
    );
  }

  #routeEndpoints(): void {
    this.route("GET", "/v1/webhook_endpoints", (request) => this.#page(this.endpoints, request));
    this.route("POST", "/v1/webhook_endpoints", ({ form }) => {
      const id = this.#newId("we");
      const secret = `whsec_${id}`;
      this.#secrets.set(id, secret);
      const endpoint = { ...endpointOf(id, form()), url: form().get("url") };
      this.endpoints.unshift(endpoint);
      return jsonAnswer({ ...endpoint, secret });
    });
    this.route("POST", "/v1/webhook_endpoints/:id", ({ params, form }) => {
      const at = this.endpoints.findIndex(({ id }) => id === params["id"]);
      const before = this.endpoints[at];
      if (before === undefined) return missing("webhook endpoint");
      this.endpoints[at] = { ...before, ...endpointOf(before.id, form()) };
      return jsonAnswer(this.endpoints[at]);
    });
    this.route("DELETE", "/v1/webhook_endpoints/:id", ({ params: { id = "" } }) => {
      const at = this.endpoints.findIndex((endpoint) => endpoint.id === id);
      if (at < 0) return missing("webhook endpoint");
      this.endpoints.splice(at, 1);
      return jsonAnswer({ id, object: "webhook_endpoint", deleted: true });
    });
  }

  booksOf(account = STRIPE_ROOT): Books {
    const books = this.#books.get(account) ?? new Books();
    this.#books.set(account, books);
    return books;
  }

  /** A new id; advances the time by a second. */
  #newId(prefix: string): string {
    this.seconds++;
    return `${prefix}_${++this.#count}`;
  }

  addAccount(more: object = {}): string {
    const id = this.#newId("acct");
    const account = made.account(id, { created: this.seconds, ...more });
    this.accounts.unshift(account);
    this.objects.set(id, account);
    this.booksOf(id);
    return id;
  }

  addBankAccount(owner: string, more: object = {}): string {
    const id = this.#newId("ba");
    this.booksOf(owner).externalAccounts.unshift(made.bankAccount(id, owner, more));
    return id;
  }

  add(object: StripeValue): StripeValue {
    this.objects.set(object.id, object);
    return object;
  }

  get(id: string): StripeValue {
    const object = this.objects.get(id);
    if (object === undefined) throw new Error(`there is no ${id}`);
    return object;
  }

  change(id: string, more: object): void {
    this.add({ ...this.get(id), ...more });
  }

  /** Adds a balance transaction of a type, with its source; returns its id. */
  addTransaction(
    type: string,
    source: (transaction: string) => StripeValue | null,
    { owner = STRIPE_ROOT, ...more }: { owner?: string; amount?: number; currency?: string } = {},
  ): string {
    const id = this.#newId("txn");
    const object = source(id);
    if (object !== null && !this.objects.has(object.id)) this.add(object);
    const transaction = made.transaction(id, {
      type,
      created: this.seconds,
      source: object?.id ?? null,
      ...more,
    });
    this.add(transaction);
    this.booksOf(owner).transactions.unshift(transaction);
    return id;
  }

  /** Adds a charge by card; returns the id of its balance transaction. */
  addCharge(owner = STRIPE_ROOT, more: object = {}): string {
    const charge = `ch_${this.#count + 1}`;
    return this.addTransaction("charge", (id) => made.cardCharge(charge, id, more), { owner });
  }

  /** Adds a refund of a charge; returns the id of its balance transaction. */
  addRefund(charge: string, amount: number): string {
    return this.addTransaction("refund", (id) => {
      const refund = made.refund(`re_${id}`, charge, { amount, balance_transaction: id });
      this.booksOf().refunds.unshift(refund);
      return refund;
    });
  }

  /** A signed delivery of an event to an endpoint. */
  notify(
    urlPath: string,
    event: { readonly type: string; readonly object: unknown; readonly account?: string },
    at?: Timestamp,
  ): Sent {
    const seconds = at === undefined ? this.seconds : Math.floor(toMillis(at) / 1000);
    const { type, object, account } = event;
    const body = JSON.stringify({
      id: this.#newId("evt"),
      object: "event",
      api_version: "2024-09-30.acacia",
      created: seconds,
      livemode: false,
      type,
      data: { object },
      ...(account === undefined ? {} : { account }),
    });
    const endpoint = this.endpoints.find(({ url }) => String(url).endsWith(urlPath));
    const secret = this.#secrets.get(endpoint?.id ?? "") ?? "";
    const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
    return {
      headers: { "Stripe-Signature": `t=${seconds},v1=${signature},v0=${"0".repeat(64)}` },
      body,
    };
  }

  #refuse({ headers, path }: PspRequest): Response | undefined {
    if (headers.get("authorization") !== `Bearer ${STRIPE_KEY}`) {
      return problem(401, { message: "Invalid API Key provided: sk_test_***" });
    }
    if (headers.get("stripe-version") === null) throw new Error(`${path} has no version`);
    const account = headers.get("stripe-account");
    return account === null || this.objects.has(account)
      ? undefined
      : problem(403, { code: "account_invalid", message: "The key has no access to this account" });
  }

  #booksOf({ headers }: PspRequest): Books {
    return this.booksOf(headers.get("stripe-account") ?? STRIPE_ROOT);
  }

  #banks(request: PspRequest): Response {
    const { id = "" } = request.params;
    if (request.query.get("object") !== "bank_account") throw new Error("cards are not asked for");
    // The provider lists bank accounts only for connected accounts.
    if (id === STRIPE_ROOT) return problem(400, { message: "not a connected account" });
    return this.#page(this.booksOf(id).externalAccounts, request);
  }

  #page(items: readonly StripeValue[], { path, query }: PspRequest): Response {
    const [after, before] = [query.get("starting_after"), query.get("ending_before")];
    for (const [param, id] of [
      ["starting_after", after],
      ["ending_before", before],
    ] as const) {
      if (id === null || items.some((item) => item.id === id)) continue;
      return problem(400, { code: "resource_missing", param, message: `No such object: '${id}'` });
    }
    const size = Number(query.get("limit") ?? "10");
    if (!(size >= 1 && size <= 100))
      return problem(400, { param: "limit", message: "Invalid integer" });
    const { page, hasMore } = cursorPage(items, { after, before, size });
    const list = { object: "list", url: path, has_more: hasMore, data: page };
    return jsonAnswer(this.#expanded(list, query));
  }

  #one({ params: { id = "" }, query }: PspRequest): Response {
    const object = this.objects.get(id);
    return object === undefined ? missing(id) : jsonAnswer(this.#expanded(object, query));
  }

  /** The answer with the objects that the request expands in place of their ids. */
  #expanded(value: unknown, parameters: URLSearchParams): unknown {
    const paths = parameters.getAll("expand[]").map((path) => path.split("."));
    if (paths.some(({ length }) => length > 4)) throw new Error("four levels are expanded at most");
    return paths.reduce((expanded, path) => this.#expand(expanded, path), value);
  }

  #expand(value: unknown, path: readonly string[]): unknown {
    const [name, ...deeper] = path;
    if (Array.isArray(value)) return value.map((item: unknown) => this.#expand(item, path));
    if (name === undefined || typeof value !== "object" || value === null) return value;
    const members = value as Record<string, unknown>; // values other than arrays are objects
    const member = members[name];
    const object = typeof member === "string" ? (this.objects.get(member) ?? member) : member;
    return object === undefined ? value : { ...members, [name]: this.#expand(object, deeper) };
  }

  /** Answers a repeated idempotency key as the first time, or refuses it if the request differs. */
  #once(request: PspRequest, handle: () => StripeValue | Response): Response {
    const key = request.headers.get("idempotency-key");
    if (key === null || key.length > 255) throw new Error("a movement has a key of 255 characters");
    const before = this.#answered.get(key);
    const asked = `${request.path} ${request.text}`;
    if (before !== undefined && before.request !== asked) {
      const message = "Keys for idempotent requests can only be used with the same parameters";
      return problem(400, { type: "idempotency_error", message });
    }
    if (before !== undefined) return new Response(before.text);
    const result = handle();
    if (result instanceof Response) return result;
    const text = JSON.stringify(this.#expanded(result, request.form()));
    this.#answered.set(key, { request: asked, text });
    return new Response(text);
  }

  /** Removes all idempotency keys, as the provider does after a day. */
  forgetKeys(): void {
    this.#answered.clear();
  }

  #move(request: PspRequest, kind: "transfer" | "payout"): StripeValue | Response {
    const form = request.form();
    const amount = Number(form.get("amount"));
    const books = this.#booksOf(request);
    const destination = form.get("destination") ?? "";
    if (destination === "closed") {
      return problem(400, { code: "account_closed", message: "The bank account has been closed." });
    }
    const facts = { amount, currency: form.get("currency"), destination, ...writtenIn(form) };
    const owner = request.headers.get("stripe-account") ?? STRIPE_ROOT;
    const make = kind === "payout" ? made.payout : made.transfer;
    const prefix = kind === "payout" ? "po" : "tr";
    const status = kind === "payout" ? { status: "pending", method: form.get("method") } : {};
    const transaction = this.addTransaction(
      kind,
      (id) => make(`${prefix}_${id}`, id, { ...facts, ...status, created: this.seconds }),
      { owner, amount: -amount },
    );
    const moved = this.get(`${prefix}_${transaction}`);
    books[kind === "payout" ? "payouts" : "transfers"].unshift(moved);
    return moved;
  }

  #reverse(request: PspRequest): StripeValue | Response {
    const { id = "" } = request.params;
    const transfer = this.objects.get(id);
    if (transfer === undefined) return missing(`transfer '${id}'`);
    const form = request.form();
    const amount = Number(form.get("amount") ?? transfer["amount"]);
    const { currency } = transfer;
    const facts = { amount, currency, transfer: id, ...writtenIn(form) };
    const transaction = this.addTransaction(
      "transfer_refund",
      (txn) => ({
        id: `trr_${txn}`,
        object: "transfer_reversal",
        balance_transaction: txn,
        ...facts,
      }),
      { amount },
    );
    return this.get(`trr_${transaction}`);
  }

  #reversalsOf(transfer: string): StripeValue[] {
    return [...this.objects.values()]
      .filter((it) => it["object"] === "transfer_reversal" && it["transfer"] === transfer)
      .toReversed();
  }
}
