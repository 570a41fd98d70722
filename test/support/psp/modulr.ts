import { createHmac } from "node:crypto";
import { FakePsp, jsonAnswer, numberedPage, type PspRequest } from "./fake-psp.ts";

export const MODULR_CONFIG = {
  apiKey: "psp-secret-modulr-key",
  apiSecret: "psp-secret-modulr-secret",
  endpoint: "https://api.modulr.example/api",
};
/** The URL of an endpoint that needs only the key, without a signature. */
export const TOKEN_ENDPOINT = "https://api.modulr.example/api-sandbox-token";

type Value = Readonly<Record<string, unknown>>;
interface Item extends Value {
  readonly id: string;
}

/** The id of a beneficiary that accepts no money. */
export const CLOSED_BENEFICIARY = "B0000000";

/** The API of Modulr: pages numbered from 0, and requests that are signed with a date and a nonce. */
export class FakeModulr extends FakePsp {
  readonly accounts: Item[] = [];
  readonly beneficiaries: Item[] = [];
  /** Transactions, newest first. */
  readonly transactions: Item[] = [];
  readonly payments: Item[] = [];
  readonly #byNonce = new Map<string, Item>();
  /** Members that replace those of new payments. */
  answered: Value = {};
  #count = 0;

  constructor() {
    super({ origins: ["https://api.modulr.example"], refuse: (request) => refusal(request) });
    for (const base of ["/api", "/api-sandbox-token"]) this.#addRoutes(base);
  }

  #addRoutes(base: string): void {
    this.route("GET", `${base}/accounts`, (request) => {
      if (request.query.get("sortField") !== "createdDate") return problem(400, "INVALID");
      return page(since(this.accounts, request, ["fromCreatedDate", "createdDate"]), request);
    });
    this.route("GET", `${base}/accounts/:id`, ({ params }) => {
      const account = this.accounts.find(({ id }) => id === params["id"]);
      return account === undefined ? problem(404, "NOTFOUND") : jsonAnswer(account);
    });
    this.route("GET", `${base}/beneficiaries`, (request) =>
      page(since(this.beneficiaries, request, ["modifiedSince", "created"]), request),
    );
    this.route("GET", `${base}/accounts/:id/transactions`, (request) => {
      const ofAccount = this.transactions.filter(({ account }) => account === request.params["id"]);
      return page(since(ofAccount, request, ["fromPostedDate", "postedDate"]), request);
    });
    this.route("GET", `${base}/payments`, (request) => {
      const { query } = request;
      return page(
        this.payments.filter(({ id }) => id === query.get("id")),
        request,
      );
    });
    this.route("POST", `${base}/payments`, (request) => this.#pay(request));
  }

  addAccount(more: Value = {}): string {
    const id = `A${++this.#count}`;
    this.accounts.push({
      id,
      name: "Clients' money",
      balance: "120.50",
      currency: "GBP",
      createdDate: this.#time(),
      status: "ACTIVE",
      customerId: "C1",
      identifiers: [{ type: "SCAN", accountNumber: "12345678", sortCode: "000000" }],
      ...more,
    });
    return id;
  }

  addBeneficiary(more: Value = {}): string {
    const id = `B${++this.#count}`;
    const destinationIdentifier = { type: "SCAN", accountNumber: "12345678", sortCode: "000000" };
    const common = { name: "Landlord", created: this.#time(), status: "ACTIVE" };
    this.beneficiaries.push({ id, ...common, destinationIdentifier, ...more });
    return id;
  }

  /** Adds a transaction; returns the id of its source. */
  addTransaction(more: Value = {}): string {
    const sourceId = `P${++this.#count}`;
    this.transactions.unshift({
      id: `T${this.#count}`,
      account: "A1",
      amount: 12.34,
      currency: "GBP",
      type: "PI_FAST",
      credit: true,
      description: "rent",
      transactionDate: this.#time(),
      postedDate: this.#time(),
      sourceId,
      ...more,
    });
    return sourceId;
  }

  addPayment(more: Value = {}): Item {
    const item = {
      id: `P${++this.#count}`,
      status: "VALIDATED",
      createdDate: this.#time(),
      approvalStatus: "NOTNEEDED",
      details: {
        sourceAccountId: "A1",
        destination: { type: "ACCOUNT", id: "A2" },
        amount: 12.34,
        currency: "GBP",
      },
      ...more,
    };
    this.payments.push(item);
    return item;
  }

  change(id: string, status: string): void {
    const at = this.payments.findIndex((payment) => payment.id === id);
    const payment = this.payments[at];
    if (payment === undefined) throw new Error(`there is no payment ${id}`);
    this.payments[at] = { ...payment, status };
  }

  #time(): string {
    const time = new Date(1_770_000_000_000 + this.#count * 1000).toISOString();
    return time.replace("Z", "+0000");
  }

  #pay({ headers, text }: PspRequest): Response {
    // `JSON.parse` reads amounts as numbers, as the provider does.
    const given = JSON.parse(text) as Value;
    const { externalReference, ...details } = given;
    const { id } = details["destination"] as Item; // the connector sends this shape
    if (id === CLOSED_BENEFICIARY) return problem(400, "INVALID");
    const nonce = headers.get("x-mod-nonce") ?? "";
    const known = this.#byNonce.get(nonce);
    if (known !== undefined) {
      return headers.get("x-mod-retry") === "true" ? jsonAnswer(known) : problem(403, "REPLAY");
    }
    const item = this.addPayment({ details, externalReference, ...this.answered });
    this.#byNonce.set(nonce, item);
    return jsonAnswer(item, 201);
  }
}

function refusal({ path, headers }: PspRequest): Response | undefined {
  const authorization = headers.get("authorization") ?? "";
  const { apiKey, apiSecret } = MODULR_CONFIG;
  if (path.startsWith("/api-sandbox-token/")) {
    return authorization === apiKey ? undefined : problem(401, "UNAUTHORISED");
  }
  const text = `date: ${headers.get("date")}\nx-mod-nonce: ${headers.get("x-mod-nonce")}`;
  const signature = createHmac("sha1", apiSecret).update(text).digest("base64");
  const expected = `Signature keyId="${apiKey}",algorithm="hmac-sha1",headers="date x-mod-nonce",signature="${encodeURIComponent(signature)}"`;
  return authorization === expected ? undefined : problem(403, "UNAUTHORISED");
}

/** The items whose time in `member` is not before the time in `parameter`. */
function since(
  items: readonly Item[],
  { query }: PspRequest,
  [parameter, member]: readonly [string, string],
): Item[] {
  const from = query.get(parameter) ?? "";
  if (from !== "" && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/.test(from)) return [];
  return items.filter((item) => String(item[member]) >= from.replace("+0000", ".000+0000"));
}

function page(items: readonly Item[], { query }: PspRequest): Response {
  const [number, size] = [Number(query.get("page") ?? 0), Number(query.get("size") ?? 20)];
  return jsonAnswer({
    content: numberedPage(items, { number: number + 1, size }),
    size,
    totalSize: items.length,
    totalPages: Math.ceil(items.length / size),
    page: number,
  });
}

export const problem = (status: number, code: string): Response =>
  jsonAnswer([{ field: "id", code, message: "not possible", sourceService: "api" }], status);
