import { createHmac } from "node:crypto";
import { FakePsp, jsonAnswer, type PspRequest } from "./fake-psp.ts";
import type { Timestamp } from "#platform/time.ts";
import { BASE_URL } from "#test/support/payments/conformance/subject.ts";
import type { Sent } from "#test/support/payments/conformance/subject.ts";

export const POWENS_CONFIG = {
  clientID: "12345678",
  clientSecret: "psp-secret-powens-client",
  configurationToken: "psp-secret-powens-configuration",
  domain: "florin-sandbox",
  endpoint: "https://florin-sandbox.powens.example",
  maxConnectionsPerLink: 2,
};

type Value = Readonly<Record<string, unknown>>;

interface Auth {
  readonly id: number;
  readonly name: string;
  readonly secret: string;
}

/** The token of the user at the beginning, and the connection of this user. */
export const USER_TOKEN = "token-of-user-5";
export const CONNECTION = "7";

/** The API of Powens: users have connections, and connections have accounts and transactions. */
export class FakePowens extends FakePsp {
  readonly tokens = new Set([USER_TOKEN]);
  readonly connections = new Set([CONNECTION]);
  readonly accounts: Value[] = [];
  /** Transactions, newest first. */
  readonly transactions: Value[] = [];
  readonly auths: Auth[] = [];
  /** The path of the base URL of webhooks, which the path of each event follows. */
  webhookPath = new URL(BASE_URL).pathname;
  #count = 100;

  constructor() {
    super({
      origins: [POWENS_CONFIG.endpoint],
      refuse: ({ path, headers }) => {
        if (path === "/2.0/auth/init") return undefined;
        const token = (headers.get("authorization") ?? "").replace("Bearer ", "");
        const isIn = path.startsWith("/webhooks/")
          ? token === POWENS_CONFIG.configurationToken
          : this.tokens.has(token);
        return isIn ? undefined : problem(403, "unauthorized");
      },
    });
    this.#userRoutes();
    this.#authRoutes();
  }

  #userRoutes(): void {
    this.route("POST", "/2.0/auth/init", ({ json }) => {
      const { client_id, client_secret } = json();
      const { clientID, clientSecret } = POWENS_CONFIG;
      if (client_id !== clientID || client_secret !== clientSecret) {
        return problem(403, "unauthorized");
      }
      const id = ++this.#count;
      this.tokens.add(`token-of-user-${id}`);
      const auth_token = `token-of-user-${id}`;
      return jsonAnswer({ auth_token, type: "permanent", id_user: id, expires_in: 1800 });
    });
    this.route("GET", "/2.0/auth/token/code", () =>
      jsonAnswer({ code: `code-${++this.#count}`, type: "temporary", expires_in: 1800 }),
    );
    this.route("DELETE", "/2.0/users/me", ({ headers }) => {
      this.tokens.delete((headers.get("authorization") ?? "").replace("Bearer ", ""));
      return jsonAnswer({});
    });
    const path = "/2.0/users/me/connections/:id";
    this.route("GET", path, (request) => this.#ofConnection(request, { id: CONNECTION }));
    this.route("DELETE", path, ({ params }) =>
      this.connections.delete(params["id"] ?? "") ? jsonAnswer({}) : problem(404, "notFound"),
    );
    this.route("GET", `${path}/accounts`, (request) =>
      this.#ofConnection(request, { accounts: this.accounts, total: this.accounts.length }),
    );
    this.route("GET", `${path}/transactions`, (request) => {
      const [offset, limit] = ["offset", "limit"].map((name) => Number(request.query.get(name)));
      const page = this.transactions.slice(offset, (offset ?? 0) + (limit ?? 0));
      return this.#ofConnection(request, { transactions: page, first_date: null });
    });
  }

  #ofConnection({ params }: PspRequest, value: Value): Response {
    return this.connections.has(params["id"] ?? "") ? jsonAnswer(value) : problem(404, "notFound");
  }

  #authRoutes(): void {
    this.route("GET", "/webhooks/auth", () =>
      jsonAnswer({
        total: this.auths.length,
        authproviders: this.auths.map(({ id, name }) => ({ id, name, type: "hmac_signature" })),
      }),
    );
    this.route("POST", "/webhooks/auth", ({ query }) => {
      if (query.get("type") !== "hmac_signature") return problem(400, "invalidValue");
      const id = ++this.#count;
      const auth = { id, name: query.get("name") ?? "", secret: `powens-webhooks-${id}` };
      this.auths.push(auth);
      return jsonAnswer({ id, name: auth.name, config: { secret_key: auth.secret } });
    });
    this.route("DELETE", "/webhooks/auth/:id", ({ params }) => {
      const at = this.auths.findIndex(({ id }) => String(id) === params["id"]);
      if (at < 0) return problem(404, "notFound");
      this.auths.splice(at, 1);
      return jsonAnswer({});
    });
  }

  account(more: Value = {}): Value {
    return {
      id: ++this.#count,
      id_connection: Number(CONNECTION),
      id_user: 5,
      number: "3002900000",
      iban: "FR7630029000000000000000088",
      name: "Compte chèque",
      original_name: "COMPTE CHEQUE",
      balance: 120.5,
      currency: { id: "EUR", symbol: "€" },
      last_update: "2026-02-01 10:00:00",
      type: "checking",
      ...more,
    };
  }

  addAccount(more: Value = {}): string {
    const account = this.account(more);
    this.accounts.push(account);
    return String(account["id"]);
  }

  transaction(more: Value = {}): Value {
    return {
      id: ++this.#count,
      date: "2026-02-01",
      datetime: null,
      value: -12.34,
      original_wording: "CB CAFE",
      type: "card",
      coming: false,
      deleted: null,
      ...more,
    };
  }

  addTransaction(more: Value = {}): string {
    if (this.accounts.length === 0) this.addAccount();
    const transaction = this.transaction({ id_account: this.accounts[0]?.["id"], ...more });
    this.transactions.unshift(transaction);
    return String(transaction["id"]);
  }

  /** A delivery to a path, signed with the last secret that the provider has issued. */
  notify(urlPath: string, value: Value, at: Timestamp): Sent {
    const body = JSON.stringify({ ...value, sent: ++this.#count });
    const date = at.replace(/\.\d{6}Z$/, "+00:00");
    const key = this.auths.at(-1)?.secret ?? "";
    const text = `POST.${this.webhookPath}${urlPath}.${date}.${body}`;
    const signature = createHmac("sha256", key).update(text).digest("base64");
    return { headers: { "Bi-Signature": signature, "Bi-Signature-Date": date }, body };
  }
}

export const problem = (status: number, code: string): Response =>
  jsonAnswer({ code, description: "It is not possible", request_id: "r" }, status);
