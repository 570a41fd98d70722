import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { FakePsp, jsonAnswer, type PspRequest } from "./fake-psp.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";
import type { Sent } from "#test/support/payments/conformance/subject.ts";

const KEYS = generateKeyPairSync("ec", { namedCurve: "P-256" });

export const PLAID_CONFIG = {
  clientID: "florin-1234",
  clientSecret: "psp-secret-plaid-secret",
  isSandbox: true,
};

type Value = Readonly<Record<string, unknown>>;

/** The token of the only item at the beginning. */
export const ITEM_TOKEN = "access-sandbox-1";
/** The id of the key that signs deliveries. */
const KEY_ID = "6c5516e1-92dc-479e-a8ff-5a51992e0001";

interface Change {
  readonly kind: "added" | "modified" | "removed";
  readonly value: Value;
}

/** The API of Plaid, in which all requests are POST. Users have items, and items have accounts and transactions. */
export class FakePlaid extends FakePsp {
  readonly accounts: Value[] = [];
  readonly changes: Change[] = [];
  readonly items = new Set([ITEM_TOKEN]);
  readonly users = new Set<string>();
  /** The end of the key that signs deliveries, in seconds; null while it is valid. */
  keyEndedAt: number | null = null;
  /** Whether transactions change while they are read. */
  isChanging = false;
  #count = 0;

  constructor() {
    super({
      origins: ["https://sandbox.plaid.com"],
      refuse: ({ headers }) =>
        headers.get("plaid-client-id") === PLAID_CONFIG.clientID &&
        headers.get("plaid-secret") === PLAID_CONFIG.clientSecret
          ? undefined
          : problem(400, "INVALID_API_KEYS", "INVALID_INPUT"),
    });
    this.#userRoutes();
    this.#itemRoutes();
    this.route("POST", "/webhook_verification_key/get", ({ json }) => {
      if (json()["key_id"] !== KEY_ID) return problem(400, "INVALID_WEBHOOK_VERIFICATION_KEY_ID");
      const key = KEYS.publicKey.export({ format: "jwk" });
      const more = { alg: "ES256", use: "sig", kid: KEY_ID, created_at: 1_560_466_143 };
      return jsonAnswer({ key: { ...key, ...more, expired_at: this.keyEndedAt }, request_id: "r" });
    });
  }

  #userRoutes(): void {
    this.route("POST", "/user/create", ({ json }) => {
      const token = `user-token-${String(json()["client_user_id"])}`;
      this.users.add(token);
      return jsonAnswer({ user_token: token, user_id: `user-${++this.#count}`, request_id: "r" });
    });
    this.route("POST", "/user/remove", ({ json }) =>
      this.users.delete(String(json()["user_token"]))
        ? jsonAnswer({ request_id: "r" })
        : problem(400, "USER_NOT_FOUND"),
    );
    this.route("POST", "/link/token/create", () => {
      const token = `link-sandbox-${++this.#count}`;
      return jsonAnswer({
        link_token: token,
        expiration: "2026-03-01T13:30:00Z",
        hosted_link_url: `https://secure.plaid.com/link/${token}`,
        request_id: "r",
      });
    });
    this.route("POST", "/item/public_token/exchange", ({ json }) => {
      const name = String(json()["public_token"]).replace("public-", "");
      this.items.add(`access-${name}`);
      return jsonAnswer({ access_token: `access-${name}`, item_id: name, request_id: "r" });
    });
  }

  #itemRoutes(): void {
    this.route("POST", "/item/remove", ({ json }) =>
      this.items.delete(String(json()["access_token"]))
        ? jsonAnswer({ request_id: "r" })
        : problem(400, "ITEM_NOT_FOUND"),
    );
    this.route("POST", "/accounts/get", ({ json }) =>
      this.items.has(String(json()["access_token"]))
        ? jsonAnswer({ accounts: this.accounts, item: {}, request_id: "r" })
        : problem(400, "INVALID_ACCESS_TOKEN"),
    );
    this.route("POST", "/transactions/sync", (request) => this.#sync(request));
  }

  #sync({ json }: PspRequest): Response {
    const { access_token, cursor = "", count } = json();
    if (!this.items.has(String(access_token))) return problem(400, "INVALID_ACCESS_TOKEN");
    if (this.isChanging && cursor !== "") {
      this.isChanging = false;
      return problem(400, "TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION", "TRANSACTIONS_ERROR");
    }
    const start = cursor === "" ? 0 : Number(String(cursor).replace("cursor-", ""));
    const page = this.changes.slice(start, start + Number(count));
    const end = start + page.length;
    const of = (kind: Change["kind"]) =>
      page.filter((change) => change.kind === kind).map(({ value }) => value);
    return jsonAnswer({
      added: of("added"),
      modified: of("modified"),
      removed: of("removed"),
      next_cursor: end === 0 ? "" : `cursor-${end}`,
      has_more: end < this.changes.length,
      request_id: "r",
    });
  }

  addAccount(more: Value = {}): string {
    const id = `account-${++this.#count}`;
    this.accounts.push({
      account_id: id,
      balances: { available: 100, current: 110.5, iso_currency_code: "USD", limit: null },
      mask: "0000",
      name: "Plaid Checking",
      official_name: null,
      type: "depository",
      subtype: "checking",
      ...more,
    });
    return id;
  }

  addTransaction(more: Value = {}): string {
    const id = `transaction-${++this.#count}`;
    this.changes.push({
      kind: "added",
      value: {
        transaction_id: id,
        account_id: "account-1",
        amount: 12.34,
        iso_currency_code: "USD",
        unofficial_currency_code: null,
        date: "2026-02-01",
        datetime: null,
        name: "Coffee",
        pending: false,
        ...more,
      },
    });
    return id;
  }

  /** A signed delivery, whose token contains the digest of the body. */
  notify(value: Value, at: Timestamp): Sent {
    const body = JSON.stringify(value, undefined, 2);
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const head = encode({ alg: "ES256", kid: KEY_ID, typ: "JWT" });
    const claims = encode({
      iat: Math.floor(toMillis(at) / 1000),
      request_body_sha256: createHash("sha256").update(body).digest("hex"),
    });
    const signature = sign("sha256", Buffer.from(`${head}.${claims}`), {
      key: KEYS.privateKey,
      dsaEncoding: "ieee-p1363",
    }).toString("base64url");
    return { headers: { "Plaid-Verification": `${head}.${claims}.${signature}` }, body };
  }
}

export const problem = (status: number, code: string, type = "INVALID_REQUEST"): Response =>
  jsonAnswer(
    {
      display_message: null,
      error_code: code,
      error_message: "it is not possible",
      error_type: type,
      request_id: "r",
    },
    status,
  );
