import { FakePsp, jsonAnswer, numberedPage, type PspRequest } from "./fake-psp.ts";
import { basicAuth } from "#modules/payments/connectors/kit/signatures.ts";
import type { Sent } from "#test/support/payments/conformance/subject.ts";

export const MANGOPAY_CONFIG = {
  clientID: "florin",
  apiKey: "psp-secret-mangopay-key",
  endpoint: "https://api.mangopay.example",
};

type Value = Readonly<Record<string, unknown>>;
interface Item extends Value {
  readonly Id: string;
}
interface Hook extends Item {
  readonly Url: string;
  readonly EventType: string;
}

const BASE = `/v2.01/${MANGOPAY_CONFIG.clientID}`;
/** The id of an account that accepts no money. */
export const CLOSED_ACCOUNT = "closed";
/** The first second of the provider's clock. */
const BEGIN = 1_770_000_000;

/** The API of Mangopay, with lists in numbered pages, oldest object first. */
export class FakeMangopay extends FakePsp {
  readonly users: Item[] = [];
  readonly wallets: Item[] = [];
  readonly bankAccounts: Item[] = [];
  readonly transactions: Item[] = [];
  readonly hooks: Hook[] = [];
  /** The number of issued tokens. Only the last token is valid. */
  tokens = 0;
  /** Members that replace those of new movements. */
  answered: Value = {};
  readonly #byKey = new Map<string, { readonly text: string; readonly answer: Item }>();
  #count = 0;

  constructor() {
    super({
      origins: [MANGOPAY_CONFIG.endpoint],
      refuse: ({ headers, path }) => {
        const { clientID, apiKey } = MANGOPAY_CONFIG;
        const expected = path.endsWith("/oauth/token")
          ? basicAuth(clientID, apiKey)
          : `Bearer psp-token-${this.tokens}`;
        return headers.get("authorization") === expected
          ? undefined
          : problem(401, "authentication_error", "Invalid credentials.");
      },
    });
    this.route("POST", "/v2.01/oauth/token", ({ form }) => {
      if (form().get("grant_type") !== "client_credentials") throw new Error("no grant");
      const access_token = `psp-token-${++this.tokens}`;
      return jsonAnswer({ access_token, token_type: "bearer", expires_in: 3600 });
    });
    this.#routeLists();
    this.#routeMoney();
    this.#routeHooks();
  }

  #routeLists(): void {
    const of = (list: readonly Item[], name: string, id = "") =>
      list.filter((item) => item[name] === id);
    this.route("GET", `${BASE}/users`, (request) => page(this.users, request));
    this.route("GET", `${BASE}/users/:id/wallets`, (request) =>
      page(of(this.wallets, "Owner", request.params["id"]), request),
    );
    this.route("GET", `${BASE}/users/:id/bankaccounts`, (request) =>
      page(of(this.bankAccounts, "UserId", request.params["id"]), request),
    );
    this.route("GET", `${BASE}/wallets/:id`, ({ params }) => one(this.wallets, params["id"]));
    this.route("GET", `${BASE}/wallets/:id/transactions`, (request) => {
      const { id } = request.params;
      const after = Number(request.query.get("AfterDate") ?? "0");
      const found = this.transactions.filter(
        (item) =>
          (item["DebitedWalletId"] === id || item["CreditedWalletId"] === id) &&
          Number(item["CreationDate"]) > after,
      );
      const shown = found.map(({ InitialTransactionId: _id, ...item }) => item);
      return page(shown, request);
    });
    for (const list of ["transfers", "payouts", "payins", "refunds"]) {
      this.route("GET", `${BASE}/${list}/:id`, ({ params }) =>
        one(this.transactions, params["id"]),
      );
    }
    this.route("POST", `${BASE}/users/:id/bankaccounts/:kind`, (request) =>
      this.#once(request, () => this.addBankAccount(request.params["id"], request.json())),
    );
  }

  #routeMoney(): void {
    this.route("POST", `${BASE}/transfers`, (request) => this.#move("TRANSFER", request));
    this.route("POST", `${BASE}/payouts/bankwire`, (request) => this.#move("PAYOUT", request));
  }

  #routeHooks(): void {
    this.route("GET", `${BASE}/hooks`, (request) => page(this.hooks, request));
    this.route("POST", `${BASE}/hooks`, ({ json }) => {
      const { EventType, Url } = json();
      if (this.hooks.some((hook) => hook.EventType === EventType)) {
        return problem(400, "param_error", "A hook has been registered for this event type.");
      }
      const hook = { ...this.#made("hook"), EventType: String(EventType), Url: String(Url) };
      this.hooks.push({ ...hook, Status: "ENABLED", Validity: "VALID" });
      return jsonAnswer(this.hooks.at(-1));
    });
    this.route("PUT", `${BASE}/hooks/:id`, ({ params, json }) => {
      const at = this.hooks.findIndex(({ Id }) => Id === params["id"]);
      const before = this.hooks[at];
      if (before === undefined) return problem(404, "ressource_not_found", "Not found.");
      const { Url, Status } = json();
      const isRenewed = Status === "ENABLED" && before["Status"] === "DISABLED";
      const Validity = isRenewed ? "VALID" : before["Validity"];
      this.hooks[at] = { ...before, Url: String(Url), Status, Validity };
      return jsonAnswer(this.hooks[at]);
    });
  }

  addUser(): string {
    const user = { ...this.#made("user"), FirstName: "Ada", Email: "ada@example.com" };
    this.users.push(user);
    return user.Id;
  }

  addWallet(owner: string, more: Value = {}): string {
    const wallet = {
      ...this.#made("wlt"),
      Owner: owner,
      Owners: [owner],
      Description: "Main wallet",
      Currency: "EUR",
      Balance: { Currency: "EUR", Amount: 12_050 },
      FundsType: "DEFAULT",
      ...more,
    };
    this.wallets.push(wallet);
    return wallet.Id;
  }

  addBankAccount(user = "", more: Value = {}): Item {
    const account = { ...this.#made("bankacc"), UserId: user, OwnerName: "Ada", ...more };
    this.bankAccounts.push(account);
    return account;
  }

  /** Adds a transfer, which by default is under way; returns its id. */
  addTransaction(more: Value = {}): string {
    const transaction = { ...TRANSACTION, ...this.#made("trn"), ...more };
    this.transactions.push(transaction);
    return transaction.Id;
  }

  change(id: string, more: Value): void {
    const at = this.transactions.findIndex(({ Id }) => Id === id);
    this.transactions[at] = { Id: id, ...this.transactions[at], ...more };
  }

  /** The notification of an object that the hook with a URL sends. */
  notify(urlPath: string, id: string, seconds = BEGIN): Sent {
    const hook = this.hooks.find(({ Url }) => Url.endsWith(urlPath));
    const query = { EventType: [hook?.EventType ?? ""], RessourceId: [id], Date: [`${seconds}`] };
    return { method: "GET", query, headers: {}, body: "" };
  }

  /** The members that every new object has. Each object is newer than all before. */
  #made(kind: string) {
    const count = ++this.#count;
    return { Id: `${kind}_m_${count}`, CreationDate: BEGIN + count, Tag: "custom" };
  }

  #move(type: "TRANSFER" | "PAYOUT", request: PspRequest): Response {
    const asked = request.json();
    if (asked["CreditedWalletId"] === CLOSED_ACCOUNT || asked["BankAccountId"] === CLOSED_ACCOUNT) {
      return problem(400, "param_error", "One or several required parameters are incorrect.");
    }
    return this.#once(request, () => {
      const id = this.addTransaction({
        ...asked,
        Type: type,
        CreditedFunds: asked["DebitedFunds"],
        CreditedWalletId: asked["CreditedWalletId"] ?? null,
        Status: type === "TRANSFER" ? "SUCCEEDED" : "CREATED",
        ...this.answered,
      });
      return { Id: id, ...this.transactions.find(({ Id }) => Id === id) };
    });
  }

  /** Removes all idempotency keys, as the provider does after a day. */
  forgetKeys(): void {
    this.#byKey.clear();
  }

  #once({ headers, text, path }: PspRequest, make: () => Item): Response {
    const key = headers.get("idempotency-key");
    if (key === null) throw new Error(`${path} has no idempotency key`);
    const known = this.#byKey.get(key);
    if (known !== undefined && known.text !== text) {
      return problem(400, "invalid_idempotency_key", "The key belongs to another request.");
    }
    const answer = known?.answer ?? make();
    this.#byKey.set(key, { text, answer });
    return jsonAnswer(answer);
  }
}

const TRANSACTION = {
  Type: "TRANSFER",
  Nature: "REGULAR",
  Status: "CREATED",
  AuthorId: "user_m_1",
  DebitedFunds: { Currency: "EUR", Amount: 1050 },
  CreditedFunds: { Currency: "EUR", Amount: 1050 },
  Fees: { Currency: "EUR", Amount: 0 },
  DebitedWalletId: "wlt_m_1",
  CreditedWalletId: "wlt_m_2",
  ExecutionDate: null,
};

function page(items: readonly Value[], { query }: PspRequest): Response {
  const [number, size] = [Number(query.get("page")), Number(query.get("per_page"))];
  if (!(number >= 1) || !(size >= 1 && size <= 100)) return problem(400, "param_error", "Page.");
  if (query.get("Sort") !== "CreationDate:ASC") throw new Error("another order is asked for");
  return jsonAnswer(numberedPage(items, { number, size }));
}

function one(items: readonly Item[], id: string | undefined): Response {
  const item = items.find(({ Id }) => Id === id);
  return item === undefined ? problem(404, "ressource_not_found", "Not found.") : jsonAnswer(item);
}

export const problem = (status: number, Type: string, Message: string): Response =>
  jsonAnswer({ Id: "error-1", Message, Type, Date: BEGIN, errors: null }, status);
