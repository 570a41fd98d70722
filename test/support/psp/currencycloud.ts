import { FakePsp, jsonAnswer, numberedPage, type PspRequest } from "./fake-psp.ts";

export const CURRENCYCLOUD_CONFIG = {
  loginID: "florin@example.com",
  apiKey: "psp-secret-currencycloud-key",
  endpoint: "https://api.currencycloud.example",
};

type Value = Readonly<Record<string, unknown>>;
interface Item extends Value {
  readonly id: string;
}

/** The id of a beneficiary that accepts no money. */
export const CLOSED = "00000000-0000-0000-0000-000000000000";

/** The API of Currencycloud, version 2: a login that gives a token, and searches. */
export class FakeCurrencycloud extends FakePsp {
  readonly accounts: Item[] = [];
  readonly beneficiaries: Item[] = [];
  readonly balances: Item[] = [];
  readonly transactions: Item[] = [];
  readonly transfers: Item[] = [];
  readonly payments: Item[] = [];
  /** Members that replace those of new objects. */
  answered: Value = {};
  /** The only valid token, which is that of the last login. */
  token = "";
  #count = 0;

  constructor() {
    super({
      origins: [CURRENCYCLOUD_CONFIG.endpoint],
      refuse: ({ path, headers }) =>
        path === "/v2/authenticate/api" || headers.get("x-auth-token") === this.token
          ? undefined
          : problem(401, "auth_failed", "username"),
    });
    this.route("POST", "/v2/authenticate/api", ({ form }) => {
      const { loginID, apiKey } = CURRENCYCLOUD_CONFIG;
      const isRight = form().get("login_id") === loginID && form().get("api_key") === apiKey;
      if (!isRight) return problem(401, "auth_failed", "api_key");
      this.token = `token-${++this.#count}`;
      return jsonAnswer({ auth_token: this.token });
    });
    this.#listRoutes();
    for (const what of ["transfers", "payments"] as const) {
      this.route("POST", `/v2/${what}/create`, (request) => this.#create(what, request));
      this.route("GET", `/v2/${what}/find`, (request) => {
        const id = request.query.get("unique_request_id");
        return page(
          what,
          this[what].filter((item) => item["unique_request_id"] === id),
          request,
        );
      });
    }
  }

  #listRoutes(): void {
    for (const list of ["accounts", "beneficiaries"] as const) {
      this.route("POST", `/v2/${list}/find`, (request) => page(list, this[list], request));
    }
    this.route("GET", "/v2/balances/find", (request) => page("balances", this.balances, request));
    this.route("GET", "/v2/transactions/find", (request) => {
      const from = request.query.get("updated_at_from") ?? "";
      if (from !== "" && !/^\d{4}-\d\d-\d\d$/.test(from)) {
        return problem(400, "invalid_date", "updated_at_from");
      }
      const wanted = this.transactions.filter((item) => String(item["updated_at"]) >= from);
      return page("transactions", wanted, request);
    });
  }

  #times(): { readonly created_at: string; readonly updated_at: string } {
    this.#count++;
    const at = new Date(1_770_000_000_000 + this.#count * 1000).toISOString();
    return { created_at: at.replace(".000Z", "+00:00"), updated_at: at.replace(".000Z", "+00:00") };
  }

  #id(): string {
    return `00000000-0000-4000-8000-${String(this.#count).padStart(12, "0")}`;
  }

  addAccount(more: Value = {}): string {
    const times = this.#times();
    const id = this.#id();
    this.accounts.push({ id, account_name: "Florin Ltd", status: "enabled", ...times, ...more });
    return id;
  }

  addBeneficiary(more: Value = {}): string {
    const times = this.#times();
    const id = this.#id();
    const bank = { iban: "DE89370400440532013000", account_number: "0532013000" };
    const names = { bank_account_holder_name: "Ann Smith", name: "Landlord" };
    this.beneficiaries.push({ id, ...names, ...bank, currency: "EUR", ...times, ...more });
    return id;
  }

  addBalance(more: Value = {}): string {
    const times = this.#times();
    const id = this.#id();
    const account_id = `account-${this.#count}`;
    this.balances.push({ id, account_id, currency: "EUR", amount: "10.50", ...times, ...more });
    return account_id;
  }

  /** Adds a transaction; returns the id of its related entity. */
  addTransaction(more: Value = {}): string {
    const times = this.#times();
    const id = this.#id();
    const related_entity_id = `entity-${this.#count}`;
    this.transactions.push({
      id,
      balance_id: "balance-1",
      account_id: "account-1",
      currency: "EUR",
      amount: "12.34",
      balance_amount: null,
      type: "credit",
      action: "funding",
      related_entity_type: "inbound_funds",
      related_entity_id,
      related_entity_short_reference: "IF-20260201-ABCDEF",
      status: "completed",
      reason: "",
      settles_at: null,
      ...times,
      ...more,
    });
    return related_entity_id;
  }

  /** Makes a transfer or a payment, or refuses a repeated request id. */
  #create(what: "transfers" | "payments", { form }: PspRequest): Response {
    const given = Object.fromEntries(form());
    const isKnown = this[what].some(
      (item) => item["unique_request_id"] === given["unique_request_id"],
    );
    if (isKnown) return problem(409, `${what}_create_failed`, "unique_request_id");
    if (given["destination_account_id"] === CLOSED || given["beneficiary_id"] === CLOSED) {
      return problem(400, `${what}_create_failed`, "beneficiary_id");
    }
    const times = this.#times();
    const status = what === "transfers" ? "pending" : "ready_to_send";
    const item = { id: this.#id(), short_reference: "TR-1", ...given, status, ...times };
    this[what].push({ ...item, ...this.answered });
    return jsonAnswer(this[what].at(-1));
  }
}

function page(name: string, items: readonly Item[], { query }: PspRequest): Response {
  const [number, size] = [Number(query.get("page") ?? 1), Number(query.get("per_page") ?? 25)];
  const pages = Math.ceil(items.length / size);
  return jsonAnswer({
    [name]: numberedPage(items, { number, size }),
    pagination: {
      total_entries: items.length,
      total_pages: pages,
      current_page: number,
      per_page: size,
      previous_page: number > 1 ? number - 1 : -1,
      next_page: number < pages ? number + 1 : -1,
      order: query.get("order") ?? "created_at",
      order_asc_desc: "asc",
    },
  });
}

export const problem = (status: number, code: string, field: string): Response =>
  jsonAnswer(
    {
      error_code: code,
      error_messages: { [field]: [{ code: `${field}_invalid`, message: "no", params: {} }] },
    },
    status,
  );
