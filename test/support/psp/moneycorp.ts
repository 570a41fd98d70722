import { FakePsp, jsonAnswer, numberedPage, type PspRequest } from "./fake-psp.ts";

export const MONEYCORP_CONFIG = {
  clientID: "florin-1234",
  apiKey: "psp-secret-moneycorp-key",
  endpoint: "https://api.moneycorp.example",
};

type Value = Readonly<Record<string, unknown>>;
export interface MoneycorpItem {
  readonly id: string;
  readonly type: string;
  readonly attributes: Value;
  readonly relationships?: Value;
}

/** The id of the account to which all objects belong. */
export const ACCOUNT = "101";
/** The id of an account and of a recipient that accept no money. */
export const CLOSED = "999";

const LISTS = [
  "accounts",
  "balances",
  "recipients",
  "transactions",
  "transfers",
  "payments",
] as const;
type ListName = (typeof LISTS)[number];

/** The API of Moneycorp, in JSON:API: a login that gives a token, and lists that are not found while they are empty. */
export class FakeMoneycorp extends FakePsp {
  readonly lists: Readonly<Record<ListName, MoneycorpItem[]>> = {
    accounts: [],
    balances: [],
    recipients: [],
    transactions: [],
    transfers: [],
    payments: [],
  };
  readonly #byKey = new Map<string, MoneycorpItem>();
  /** Attributes that replace those of new objects. */
  answered: Value = {};
  /** The only valid token, which is that of the last login. */
  token = "";
  #count = 100;

  constructor() {
    super({
      origins: [MONEYCORP_CONFIG.endpoint],
      refuse: ({ path, headers }) =>
        path === "/login" || headers.get("authorization") === `Bearer ${this.token}`
          ? undefined
          : problem(401, "Unauthorized"),
    });
    this.route("POST", "/login", ({ json }) => {
      const { loginId, apiKey } = json();
      const isRight = loginId === MONEYCORP_CONFIG.clientID && apiKey === MONEYCORP_CONFIG.apiKey;
      if (!isRight) return problem(401, "Unauthorized");
      this.token = `token-${++this.#count}`;
      return jsonAnswer({ data: { accessToken: this.token, expiresIn: "60" } });
    });
    this.route("GET", "/accounts", (request) => page(this.lists.accounts, request));
    this.route("GET", `/accounts/${ACCOUNT}/balances`, () => list(this.lists.balances));
    this.route("GET", `/accounts/${ACCOUNT}/recipients`, (request) =>
      page(this.lists.recipients, request),
    );
    this.route("POST", `/accounts/${ACCOUNT}/transactions/find`, (request) =>
      this.#findTransactions(request),
    );
    for (const kind of ["transfers", "payments"] as const) {
      this.route("GET", `/accounts/${ACCOUNT}/${kind}/:id`, ({ params }) => {
        const found = this.lists[kind].find(({ id }) => id === params["id"]);
        return found === undefined ? problem(404, "Not found") : jsonAnswer({ data: found });
      });
      this.route("POST", `/accounts/:id/${kind}`, (request) => this.#create(kind, request));
    }
  }

  #findTransactions(request: PspRequest): Response {
    const { attributes } = request.json()["data"] as { attributes: Record<string, string> };
    const from = attributes["transactionDateTimeFrom"] ?? "";
    if (from !== "" && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(from)) {
      return problem(400, "Bad request");
    }
    const wanted = this.lists.transactions.filter(
      (item) => String(item.attributes["createdAt"]) >= from,
    );
    return page(wanted, request);
  }

  #add(name: ListName, attributes: Value, relationships?: Value): string {
    const id = String(++this.#count);
    const item = { id, type: name, attributes };
    this.lists[name].push(relationships === undefined ? item : { ...item, relationships });
    return id;
  }

  #time(): string {
    const time = new Date(1_770_000_000_000 + this.#count * 1000).toISOString();
    return time.replace("000Z", "1234567");
  }

  addAccount(): string {
    return this.#add("accounts", { accountName: "Florin Ltd" });
  }

  addBalance(more: Value = {}): void {
    this.#add("balances", {
      currencyCode: "EUR",
      overallBalance: 12.5,
      availableBalance: 10.5,
      ...more,
    });
  }

  addRecipient(more: Value = {}): string {
    return this.#add("recipients", {
      bankAccountName: "Landlord",
      bankAccountCurrency: "EUR",
      bankAccountNumber: "0532013000",
      bankAccountIban: "DE89370400440532013000",
      createdAt: this.#time(),
      ...more,
    });
  }

  /** Adds a transaction that is related to the object with the id `related`; returns the transaction's id. */
  addTransaction(more: Value = {}, related?: string): string {
    return this.#add(
      "transactions",
      {
        accountId: Number(ACCOUNT),
        createdAt: this.#time(),
        transactionCurrency: "EUR",
        transactionAmount: 12.34,
        transactionDirection: "Credit",
        transactionType: "Payment",
        transactionReference: "rent",
        clientReference: "order-1",
        ...more,
      },
      { data: related === undefined ? null : { id: related, type: "payments" } },
    );
  }

  addTransfer(more: Value = {}): string {
    return this.#add("transfers", {
      sendingAccountId: Number(ACCOUNT),
      receivingAccountId: 102,
      createdAt: this.#time(),
      transferAmount: 12.34,
      transferCurrency: "EUR",
      transferStatus: "Cleared",
      ...more,
    });
  }

  change(kind: "transfers" | "payments", id: string, status: string): void {
    const items = this.lists[kind];
    const at = items.findIndex((item) => item.id === id);
    const item = items[at];
    if (item === undefined) throw new Error(`there is no ${id}`);
    const member = kind === "transfers" ? "transferStatus" : "paymentStatus";
    items[at] = { ...item, attributes: { ...item.attributes, [member]: status } };
  }

  /** Makes a transfer or a payment. A repeated idempotency key gets the first object. */
  #create(kind: "transfers" | "payments", { headers, text, params }: PspRequest): Response {
    // `JSON.parse` reads amounts as numbers, as the provider does.
    const { attributes } = (JSON.parse(text) as { data: { attributes: Value } }).data;
    if ([attributes["receivingAccountId"], attributes["recipientId"]].includes(CLOSED)) {
      return problem(400, "Bad request");
    }
    const key = headers.get("idempotency-key") ?? "";
    const known = this.#byKey.get(key);
    if (known !== undefined) return jsonAnswer({ data: known });
    const { recipientId, ...others } = attributes;
    const made =
      kind === "transfers"
        ? { ...others, sendingAccountId: Number(params["id"]), transferStatus: "Awaiting Dispatch" }
        : {
            ...others,
            accountId: Number(params["id"]),
            recipientDetails: { recipientId: Number(recipientId) },
            paymentStatus: "Awaiting Dispatch",
          };
    this.#add(kind, { createdAt: this.#time(), ...made, ...this.answered });
    const item = this.lists[kind].at(-1);
    if (item === undefined) throw new Error("it was added");
    this.#byKey.set(key, item);
    return jsonAnswer({ data: item }, 201);
  }
}

const list = (items: readonly MoneycorpItem[]): Response =>
  items.length === 0 ? problem(404, "Not found") : jsonAnswer({ data: items });

function page(items: readonly MoneycorpItem[], { query }: PspRequest): Response {
  const [number, size] = [Number(query.get("page[number]")), Number(query.get("page[size]"))];
  return list(numberedPage(items, { number: number + 1, size }));
}

export const problem = (status: number, title: string): Response =>
  jsonAnswer({ errors: [{ code: String(status), title, detail: "It is not possible" }] }, status);
