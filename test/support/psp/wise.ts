import { generateKeyPairSync, sign } from "node:crypto";
import { FakePsp, jsonAnswer, type PspRequest } from "./fake-psp.ts";
import type { Sent } from "#test/support/payments/conformance/subject.ts";

const KEYS = generateKeyPairSync("rsa", { modulusLength: 2048 });

export const WISE_CONFIG = {
  apiKey: "psp-secret-wise-key",
  webhookPublicKey: KEYS.publicKey.export({ type: "spki", format: "pem" }).toString(),
};

export const WISE_ORIGIN = "https://api.wise.com";

/** The id of the first profile. */
export const PROFILE = 101;

interface Subscription {
  readonly id: string;
  readonly profile: string;
  readonly name: string;
  readonly trigger_on: string;
  readonly delivery: { readonly version: string; readonly url: string };
}

interface Balance {
  readonly id: number;
  readonly profile: number;
  readonly currency: string;
  readonly amount: { readonly value: number; readonly currency: string };
  readonly [name: string]: unknown;
}

interface Transfer {
  readonly id: number;
  readonly profile: number;
  readonly status: string;
  readonly [name: string]: unknown;
}

/** The API of Wise: profiles have balances, recipients, transfers and subscriptions. Ids increase. */
export class FakeWise extends FakePsp {
  readonly profiles: { readonly id: number; readonly type: string }[] = [];
  readonly balances: Balance[] = [];
  readonly recipients: { readonly id: number; readonly profile: number; readonly body: object }[] =
    [];
  readonly transfers: Transfer[] = [];
  readonly subscriptions = new Map<string, Subscription>();
  readonly #quotes = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #byCustomerId = new Map<unknown, number>();
  #id = 1000;

  constructor() {
    super({
      origins: [WISE_ORIGIN],
      refuse: ({ headers }) =>
        headers.get("authorization") === `Bearer ${WISE_CONFIG.apiKey}`
          ? undefined
          : problem(401, "unauthorized", "The key is not known"),
    });
    this.route("GET", "/v2/profiles", () => jsonAnswer(this.profiles));
    this.#balanceRoutes();
    this.#transferRoutes();
    this.#subscriptionRoutes();
  }

  #balanceRoutes(): void {
    this.route("GET", "/v4/profiles/:profile/balances", ({ params }) =>
      jsonAnswer(this.balances.filter(({ profile }) => String(profile) === params["profile"])),
    );
    this.route("GET", "/v4/profiles/:profile/balances/:id", ({ params }) =>
      found(this.balances.find(({ id }) => String(id) === params["id"])),
    );
    this.route("GET", "/v2/accounts", (request) => this.#listRecipients(request));
    this.route("GET", "/v1/accounts/:id", ({ params }) => {
      const recipient = this.recipients.find(({ id }) => String(id) === params["id"]);
      return recipient === undefined
        ? problem(403, "RECIPIENT_MISSING", "The recipient is missing")
        : jsonAnswer({ id: recipient.id, profile: recipient.profile, type: "iban" });
    });
  }

  #transferRoutes(): void {
    this.route("GET", "/v1/transfers", ({ query }) => {
      const [offset, limit] = [Number(query.get("offset")), Number(query.get("limit"))];
      const ofProfile = this.transfers.filter(
        ({ profile }) => String(profile) === query.get("profile"),
      );
      return jsonAnswer(ofProfile.slice(offset, offset + limit));
    });
    this.route("GET", "/v1/transfers/:id", ({ params }) =>
      found(this.transfers.find(({ id }) => String(id) === params["id"])),
    );
    this.route("POST", "/v3/profiles/:profile/quotes", ({ params, text }) => {
      // `JSON.parse` reads amounts as numbers, as the provider does.
      const id = crypto.randomUUID();
      this.#quotes.set(id, { ...(JSON.parse(text) as object), profile: Number(params["profile"]) });
      return jsonAnswer({ id, ...this.#quotes.get(id) });
    });
    this.route("POST", "/v1/transfers", (request) => this.#move(request));
  }

  #subscriptionRoutes(): void {
    const path = "/v3/profiles/:profile/subscriptions";
    this.route("GET", path, ({ params }) =>
      jsonAnswer(
        [...this.subscriptions.values()].filter((each) => each.profile === params["profile"]),
      ),
    );
    this.route("POST", path, ({ params, text }) => {
      const id = crypto.randomUUID();
      const given = JSON.parse(text) as Omit<Subscription, "id" | "profile">; // the connector sends this shape
      this.subscriptions.set(id, { ...given, id, profile: params["profile"] ?? "" });
      return jsonAnswer(this.subscriptions.get(id), 201);
    });
    this.route("DELETE", `${path}/:id`, ({ params }) =>
      this.subscriptions.delete(params["id"] ?? "")
        ? new Response(null, { status: 204 })
        : problem(404, "not_found", "No such subscription"),
    );
  }

  #nextId(): number {
    return ++this.#id;
  }

  /** Adds a profile, by default the first one, unless it exists; returns its id. */
  addProfile(id = PROFILE, type = "BUSINESS"): number {
    if (!this.profiles.some((profile) => profile.id === id)) this.profiles.push({ id, type });
    return id;
  }

  addBalance(currency = "EUR", { profile = PROFILE, value = 120.5 } = {}): number {
    const id = this.#nextId();
    this.balances.push({
      id,
      profile: this.addProfile(profile),
      currency,
      type: "STANDARD",
      name: `Savings ${id}`,
      amount: { value, currency },
      reservedAmount: { value: 0, currency },
      creationTime: "2026-01-05T10:00:00.123456Z",
      modificationTime: "2026-02-05T10:00:00.654321Z",
      visible: true,
    });
    return id;
  }

  addRecipient({ currency = "EUR", profile = PROFILE, more = {} } = {}): number {
    const id = this.#nextId();
    const body = {
      id,
      creatorId: 1,
      profileId: this.addProfile(profile),
      name: { fullName: `Ann ${id}` },
      currency,
      country: "DE",
      type: "Iban",
      active: true,
      ownedByCustomer: false,
      details: { IBAN: RECIPIENT_IBAN, accountNumber: RECIPIENT_NUMBER },
      accountSummary: RECIPIENT_NUMBER,
      longAccountSummary: `EUR account ${RECIPIENT_IBAN}`,
      displayFields: [{ key: "details/IBAN", label: "IBAN", value: RECIPIENT_IBAN }],
      ...more,
    };
    this.recipients.push({ id, profile, body });
    return id;
  }

  addTransfer(more: object = {}, profile = PROFILE): number {
    const id = this.#nextId();
    this.addProfile(profile);
    this.transfers.push({
      id,
      profile,
      user: 7,
      targetAccount: 500,
      sourceAccount: null,
      quote: null,
      quoteUuid: crypto.randomUUID(),
      status: "outgoing_payment_sent",
      created: "2026-02-01 08:00:00",
      rate: 1,
      details: { reference: "invoice 7" },
      hasActiveIssues: false,
      sourceCurrency: "EUR",
      sourceValue: 12.5,
      targetCurrency: "EUR",
      targetValue: 12.3,
      customerTransactionId: crypto.randomUUID(),
      ...more,
    });
    return id;
  }

  /** Changes the status of a transfer; returns the delivery about the change. */
  changeTransfer(id: number, status: string, occurredAt = "2026-02-03T12:00:00Z"): Sent {
    const at = this.transfers.findIndex((transfer) => transfer.id === id);
    const transfer = this.transfers[at];
    if (transfer === undefined) throw new Error(`there is no transfer ${id}`);
    this.transfers[at] = { ...transfer, status };
    return this.notify("transfers#state-change", {
      resource: { type: "transfer", id, profile_id: transfer.profile, account_id: 3 },
      current_state: status,
      previous_state: transfer.status,
      occurred_at: occurredAt,
    });
  }

  /** A signed delivery. */
  notify(eventType: string, data: object): Sent {
    const body = JSON.stringify({
      data,
      subscription_id: crypto.randomUUID(),
      event_type: eventType,
      schema_version: "2.0.0",
      sent_at: "2026-02-03T12:00:01Z",
    });
    const signature = sign("sha256", Buffer.from(body), KEYS.privateKey).toString("base64");
    return {
      headers: {
        "content-type": "application/json",
        "X-Signature-Sha256": signature,
        "X-Delivery-Id": crypto.randomUUID(),
      },
      body,
    };
  }

  #listRecipients({ query }: PspRequest): Response {
    const [size, after] = [Number(query.get("size")), Number(query.get("seekPosition") ?? 0)];
    const later = this.recipients.filter(
      ({ id, profile }) => id > after && String(profile) === query.get("profile"),
    );
    const page = later.slice(0, size);
    return jsonAnswer({
      content: page.map(({ body }) => body),
      sort: { empty: false, sorted: true, unsorted: false },
      seekPositionForCurrent: after,
      seekPositionForNext: later.length > size ? page.at(-1)?.id : 0,
      size,
    });
  }

  #move({ text }: PspRequest): Response {
    const given = JSON.parse(text) as Readonly<Record<string, unknown>>; // the connector sends this shape
    const { targetAccount, quoteUuid, customerTransactionId } = given;
    const quote = this.#quotes.get(String(quoteUuid));
    if (quote === undefined) return problem(422, "NOT_VALID", "The quote is not valid");
    if (!UUID.test(String(customerTransactionId))) {
      return problem(422, "NOT_VALID", "The customerTransactionId is no UUID");
    }
    if (targetAccount === CLOSED_RECIPIENT) {
      return problem(422, "RECIPIENT_MISSING", "The recipient is missing");
    }
    const id =
      this.#byCustomerId.get(customerTransactionId) ??
      this.addTransfer(
        {
          targetAccount,
          quoteUuid,
          customerTransactionId,
          status: "incoming_payment_waiting",
          sourceCurrency: quote["sourceCurrency"],
          sourceValue: quote["sourceAmount"],
          targetCurrency: quote["targetCurrency"],
          targetValue: quote["sourceAmount"],
        },
        Number(quote["profile"]),
      );
    this.#byCustomerId.set(customerTransactionId, id);
    return found(this.transfers.find((transfer) => transfer.id === id));
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id of a recipient that accepts no transfer. */
export const CLOSED_RECIPIENT = 999;
/** The IBAN of all recipients. */
export const RECIPIENT_IBAN = "DE89370400440532013000";
export const RECIPIENT_NUMBER = "0532013000";

const found = (value: object | undefined): Response =>
  value === undefined ? problem(404, "not_found", "It is not there") : jsonAnswer(value);

/** The format of an error. */
export const problem = (status: number, code: string, message: string): Response =>
  jsonAnswer({ errors: [{ code, message }] }, status);
