import { FakePsp, jsonAnswer, type PspRequest } from "./fake-psp.ts";
import { basicAuth } from "#modules/payments/connectors/kit/signatures.ts";
import { formatTimestamp, fromMillis } from "#platform/time.ts";

export const ATLAR_CONFIG = {
  baseUrl: "https://api.atlar.example",
  accessKey: "psp-secret-atlar-access",
  secret: "psp-secret-atlar-secret",
};

type Value = Readonly<Record<string, unknown>>;
interface Item extends Value {
  readonly id: string;
}

const LISTS = ["accounts", "external-accounts", "transactions", "counterparties"] as const;
type List = (typeof LISTS)[number];

/** The reference of an account that accepts no money. */
export const CLOSED_ACCOUNT = "closed";
const BEGIN_MS = Date.parse("2026-02-02T02:40:00Z");

/** The API of Atlar, with lists behind tokens. */
export class FakeAtlar extends FakePsp {
  readonly #lists: Record<List, Item[]> = {
    accounts: [],
    "external-accounts": [],
    transactions: [],
    counterparties: [],
  };
  readonly creditTransfers: Item[] = [];
  #count = 0;

  constructor() {
    super({
      origins: [ATLAR_CONFIG.baseUrl],
      refuse: ({ headers }) =>
        headers.get("authorization") === basicAuth(ATLAR_CONFIG.accessKey, ATLAR_CONFIG.secret)
          ? undefined
          : problem(401, "UNAUTHORIZED", "The credentials are not valid"),
    });
    for (const list of LISTS) {
      this.route("GET", `/v1/${list}`, (request) => this.#page(list, request));
      this.route("GET", `/v1/${list}/:id`, ({ params }) =>
        found(this.#lists[list].find(({ id }) => id === params["id"])),
      );
    }
    this.route("GET", "/v1beta/third-parties/:id", ({ params }) =>
      found(params["id"] === "bank-1" ? { id: "bank-1", name: "Nordic Bank" } : undefined),
    );
    this.route("POST", "/v1/counterparties", ({ json }) => this.#create(json()));
    this.route("POST", "/v1/credit-transfers", ({ json }) => this.#order(json()));
    this.route("GET", "/v1/credit-transfers/get-by-external-id/:id", ({ params }) =>
      found(this.creditTransfers.find((transfer) => transfer["externalId"] === params["id"])),
    );
  }

  itemsOf(list: List): Item[] {
    return this.#lists[list];
  }

  add(list: List, value: Value): string {
    const id = `${list}-${++this.#count}`;
    const created = formatTimestamp(fromMillis(BEGIN_MS + this.#count * 1000));
    const item: Item = { id, organizationId: "org-1", created, updated: created, ...value };
    this.#lists[list].push(item);
    return item.id;
  }

  addAccount(more: Value = {}): string {
    return this.add("accounts", {
      name: "Main account",
      alias: "ops",
      thirdPartyId: "bank-1",
      currency: "EUR",
      fictive: false,
      owner: { name: "Florin AB" },
      bank: { id: "NDEAFIHH", bic: "NDEAFIHH" },
      identifiers: [{ market: "FI", type: "IBAN", number: "FI2112345600000785" }],
      balance: { amount: AMOUNT, timestamp: "2026-02-03T08:00:00Z", type: "BOOKED" },
      ...more,
    });
  }

  addExternalAccount(more: Value = {}): string {
    return this.add("external-accounts", { ...EXTERNAL_ACCOUNT, ...more });
  }

  addCounterparty(more: Value = {}): string {
    return this.add("counterparties", {
      name: "Landlord",
      partyType: "COMPANY",
      contactDetails: { email: "rent@example.com", phone: "" },
      externalMetadata: {},
      externalAccounts: [],
      ...more,
    });
  }

  /** Adds a booked transaction; returns its id. */
  addTransaction(value = 1050, more: Value = {}): string {
    return this.add("transactions", {
      account: { id: "accounts-1" },
      amount: { currency: "EUR", value, stringValue: (value / 100).toFixed(2) },
      date: "2026-02-02",
      description: "rent",
      reconciliation: { status: "BOOKED", transactableId: "", transactableType: "" },
      remittanceInformation: { type: "UNSTRUCTURED", value: "42" },
      ...more,
    });
  }

  #page(list: List, { query }: PspRequest): Response {
    const size = Number(query.get("limit"));
    if (!(size >= 1 && size <= 500)) return problem(400, "BAD_REQUEST", "limit is not valid");
    const start = Number(query.get("token") ?? "0");
    const items = this.#lists[list].slice(start, start + size);
    const hasMore = start + size < this.#lists[list].length;
    return jsonAnswer({ items, limit: size, nextToken: hasMore ? `${start + size}` : "" });
  }

  #create(asked: Value): Response {
    const accounts = asked["externalAccounts"] as readonly Value[]; // the connector sends this shape
    const externalAccounts = accounts.map((account) => {
      const id = this.add("external-accounts", account);
      return this.itemsOf("external-accounts").find((item) => item.id === id);
    });
    const id = this.addCounterparty({ ...asked, externalAccounts });
    return found(this.itemsOf("counterparties").find((item) => item.id === id));
  }

  /** Makes a credit transfer, unless its external id is used already. */
  #order(asked: Value): Response {
    const { externalId, destinationExternalAccountId } = asked;
    if (this.creditTransfers.some((transfer) => transfer["externalId"] === externalId)) {
      return problem(409, "CONFLICT", "The external id is used already");
    }
    if (destinationExternalAccountId === CLOSED_ACCOUNT) {
      return problem(400, "BAD_REQUEST", "The account is closed");
    }
    this.creditTransfers.push({ id: `ct-${++this.#count}`, status: "CREATED", ...asked });
    return jsonAnswer(this.creditTransfers.at(-1), 201);
  }

  /** Changes members of a credit transfer, such as its status. */
  change(externalId: string, more: Value): void {
    const at = this.creditTransfers.findIndex((each) => each["externalId"] === externalId);
    this.creditTransfers[at] = { id: "", ...this.creditTransfers[at], ...more };
  }
}

const AMOUNT = { currency: "EUR", value: 12_050, stringValue: "120.50" };

const EXTERNAL_ACCOUNT = {
  counterpartyId: "counterparties-0",
  bank: { id: "AGRIFRPP", bic: "AGRIFRPP" },
  identifiers: [{ market: "FR", type: "IBAN", number: "FR7630006000011234567890189" }],
};

const found = (item: Value | undefined): Response =>
  item === undefined ? problem(404, "NOT_FOUND", "Not found") : jsonAnswer(item);

export const problem = (status: number, code: string, message: string): Response =>
  jsonAnswer({ code, message }, status);
