import { createHmac } from "node:crypto";
import { FakePsp, jsonAnswer, type PspRequest } from "./fake-psp.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";
import type { Sent } from "#test/support/payments/conformance/subject.ts";

export const TINK_CONFIG = {
  clientID: "florin-app",
  clientSecret: "psp-secret-tink-client",
  endpoint: "https://api.tink.example",
};

type Value = Readonly<Record<string, unknown>>;
interface Item extends Value {
  readonly id: string;
}

/** The objects of one user. */
class User {
  /** The provider's id of the user. */
  readonly id: string;
  readonly accounts: Item[] = [];
  readonly transactions: Item[] = [];
  /** The ids of the accounts that each connection has opened. */
  readonly consents = new Map<string, string[]>();

  constructor(id: string) {
    this.id = id;
  }
}

const APP_TOKEN = "psp-token-app";
const TOKEN_PATH = "/api/v1/oauth/token";

/** The API of Tink, for one application with its users. */
export class FakeTink extends FakePsp {
  /** The users by the ids that the application has chosen. */
  readonly users = new Map<string, User>();
  readonly endpoints: (Item & { readonly url: string; readonly secret: string })[] = [];
  #count = 0;

  constructor() {
    super({ origins: [TINK_CONFIG.endpoint], refuse: (request) => this.#refuse(request) });
    this.route("POST", TOKEN_PATH, ({ form }) => this.#token(form()));
    this.route("POST", "/api/v1/oauth/authorization-grant", ({ form }) => this.#grant(form()));
    this.route("POST", "/api/v1/oauth/authorization-grant/delegate", ({ form }) =>
      this.#grant(form()),
    );
    this.route("POST", "/api/v1/user/create", ({ json }) => {
      const id = String(json()["external_user_id"]);
      if (this.users.has(id)) return problem(409, "user already exists");
      this.addUser(id);
      return jsonAnswer({ external_user_id: id, user_id: this.users.get(id)?.id });
    });
    this.#routeUsers();
    this.#routeData();
    this.#routeEndpoints();
  }

  #routeUsers(): void {
    this.route("GET", "/api/v1/user", (request) => jsonAnswer({ id: this.#userOf(request).id }));
    this.route("POST", "/api/v1/user/delete", (request) => {
      for (const [id, user] of this.users) {
        if (user === this.#userOf(request)) this.users.delete(id);
      }
      return new Response(null, { status: 204 });
    });
    this.route("DELETE", "/api/v1/credentials/:id", (request) =>
      this.#userOf(request).consents.delete(request.params["id"] ?? "")
        ? new Response(null, { status: 204 })
        : problem(404, "no such credentials"),
    );
    this.route("GET", "/api/v1/provider-consents", (request) => {
      const consents = [...this.#userOf(request).consents];
      const providerConsents = consents.map(([credentialsId, accountIds]) => ({
        credentialsId,
        accountIds,
        status: "UPDATED",
      }));
      return jsonAnswer({ providerConsents });
    });
  }

  #routeData(): void {
    this.route("GET", "/data/v2/accounts", (request) =>
      page("accounts", this.#userOf(request).accounts, request),
    );
    this.route("GET", "/data/v2/accounts/:id", (request) => {
      const found = this.#userOf(request).accounts.find(({ id }) => id === request.params["id"]);
      return found === undefined ? problem(404, "no such account") : jsonAnswer(found);
    });
    this.route("GET", "/data/v2/transactions", (request) => {
      const account = request.query.get("accountIdIn");
      const transactions = this.#userOf(request).transactions.filter(
        (item) => account === null || item["accountId"] === account,
      );
      return page("transactions", transactions, request);
    });
  }

  #routeEndpoints(): void {
    const path = "/events/v2/webhook-endpoints";
    this.route("GET", path, () =>
      jsonAnswer({
        webhookEndpoints: this.endpoints.map(({ secret: _secret, ...shown }) => shown),
      }),
    );
    this.route("POST", path, ({ json }) => {
      const id = `endpoint-${++this.#count}`;
      const secret = `psp-secret-tink-${id}`;
      const endpoint = { ...json(), id, url: String(json()["url"]), secret };
      this.endpoints.push(endpoint);
      return jsonAnswer(endpoint);
    });
    this.route("DELETE", `${path}/:id`, ({ params }) => {
      const at = this.endpoints.findIndex(({ id }) => id === params["id"]);
      if (at < 0) return problem(404, "no such endpoint");
      this.endpoints.splice(at, 1);
      return new Response(null, { status: 204 });
    });
  }

  addUser(id: string): User {
    const user = this.users.get(id) ?? new User(`tink-user-${++this.#count}`);
    this.users.set(id, user);
    return user;
  }

  /** Adds an account that a connection has opened, or no connection for undefined; returns its id. */
  addAccount(user: string, connection: string | undefined, more: Value = {}): string {
    const id = `account-${++this.#count}`;
    const { accounts, consents } = this.addUser(user);
    accounts.push({ id, ...ACCOUNT, ...more });
    if (connection !== undefined) {
      consents.set(connection, [...(consents.get(connection) ?? []), id]);
    }
    return id;
  }

  addTransaction(user: string, accountId: string, more: Value = {}): string {
    const id = `transaction-${++this.#count}`;
    this.addUser(user).transactions.push({ id, accountId, ...TRANSACTION, ...more });
    return id;
  }

  /** A delivery about a user to an endpoint, signed at a time. */
  notify(urlPath: string, { event, content, user, at }: Notified): Sent {
    const context = { userId: this.users.get(user)?.id ?? "stranger", externalUserId: user };
    const body = JSON.stringify({ context, content, event });
    const seconds = Math.floor(toMillis(at) / 1000);
    const endpoint = this.endpoints.find(({ url }) => url.endsWith(urlPath));
    const signature = createHmac("sha256", endpoint?.secret ?? "")
      .update(`${seconds}.${body}`)
      .digest("hex");
    return { headers: { "X-Tink-Signature": `t=${seconds},v1=${signature}` }, body };
  }

  #refuse({ path, headers, form }: PspRequest): Response | undefined {
    if (path === TOKEN_PATH) {
      const isKnown =
        form().get("client_id") === TINK_CONFIG.clientID &&
        form().get("client_secret") === TINK_CONFIG.clientSecret;
      return isKnown ? undefined : problem(401, "client_authentication_failed");
    }
    const token = headers.get("authorization")?.replace("Bearer ", "");
    const isOfUser =
      /^\/data\/|^\/api\/v1\/(?:user|user\/delete|credentials\/.*|provider-consents)$/;
    const isKnown = isOfUser.test(path)
      ? this.users.has(token?.replace("psp-token-of-", "") ?? "")
      : token === APP_TOKEN;
    return isKnown ? undefined : problem(401, "unauthorized");
  }

  #userOf({ headers }: PspRequest): User {
    const token = headers.get("authorization")?.replace("Bearer psp-token-of-", "");
    return this.addUser(token ?? "");
  }

  #token(form: URLSearchParams): Response {
    const code = form.get("code");
    const token = code === null ? APP_TOKEN : code.replace("code-of-", "psp-token-of-");
    return jsonAnswer({ access_token: token, token_type: "bearer", expires_in: 1800 });
  }

  #grant(form: URLSearchParams): Response {
    const user = form.get("external_user_id") ?? "";
    return this.users.has(user)
      ? jsonAnswer({ code: `code-of-${user}` })
      : problem(404, "no such user");
  }
}

interface Notified {
  readonly event: string;
  readonly content: Value;
  /** The id of the user that the application has chosen. */
  readonly user: string;
  readonly at: Timestamp;
}

const amount = (unscaledValue: string, scale: string, currencyCode = "EUR") => ({
  currencyCode,
  value: { unscaledValue, scale },
});

const ACCOUNT = {
  name: "Checking",
  type: "CHECKING",
  balances: { booked: { amount: amount("12050", "2") } },
  identifiers: { iban: { iban: "FR7630006000011234567890189" } },
  dates: { lastRefreshed: "2026-02-03T08:00:00Z" },
};

const TRANSACTION = {
  amount: amount("-1050", "2"),
  dates: { booked: "2026-02-02", value: "2026-02-02" },
  descriptions: { original: "rent", display: "Rent" },
  status: "BOOKED",
};

function page(list: string, items: readonly Value[], { query }: PspRequest): Response {
  const size = Number(query.get("pageSize"));
  if (!(size >= 1 && size <= 100)) return problem(400, "pageSize");
  const start = Number(query.get("pageToken") ?? "0");
  const end = start + size;
  const nextPageToken = end < items.length ? `${end}` : "";
  return jsonAnswer({ [list]: items.slice(start, end), nextPageToken });
}

export const problem = (status: number, errorMessage: string): Response =>
  jsonAnswer({ errorMessage, message: errorMessage, errorCode: "" }, status);
