import { FakePsp, jsonAnswer, numberedPage, type PspRequest } from "./fake-psp.ts";

export const QONTO_CONFIG = {
  clientID: "florin-1234",
  apiKey: "psp-secret-qonto-key",
  endpoint: "https://thirdparty.qonto.example",
  stagingToken: "psp-secret-qonto-token",
};

interface Item {
  readonly id: string;
  readonly updated_at: string;
  readonly [name: string]: unknown;
}

/** The API of Qonto, version 2, of one organization. */
export class FakeQonto extends FakePsp {
  readonly bankAccounts: Item[] = [];
  readonly beneficiaries: Item[] = [];
  readonly transactions: Item[] = [];
  #seconds = 0;

  constructor() {
    super({
      origins: [QONTO_CONFIG.endpoint],
      refuse: ({ headers }) =>
        headers.get("authorization") === `${QONTO_CONFIG.clientID}:${QONTO_CONFIG.apiKey}` &&
        headers.get("x-qonto-staging-token") === QONTO_CONFIG.stagingToken
          ? undefined
          : problem(401, "unauthorized"),
    });
    this.route("GET", "/v2/organization", () =>
      jsonAnswer({ organization: { slug: "florin", bank_accounts: this.bankAccounts } }),
    );
    this.route("GET", "/v2/beneficiaries", (request) =>
      page("beneficiaries", this.beneficiaries, request),
    );
    this.route("GET", "/v2/transactions", (request) =>
      page("transactions", this.#transactionsOf(request), request),
    );
  }

  addBankAccount(more: object = {}): string {
    const id = `account-${this.bankAccounts.length + 1}`;
    this.bankAccounts.push({
      id,
      updated_at: this.#tick(),
      name: "Main account",
      currency: "EUR",
      balance: 10.5,
      balance_cents: 1050,
      status: "active",
      iban: "FR7616798000010000004321396",
      bic: "TRZOFR21XXX",
      main: true,
      is_external_account: false,
      ...more,
    });
    return id;
  }

  addBeneficiary(more: object = {}): string {
    const id = `beneficiary-${this.beneficiaries.length + 1}`;
    const at = this.#tick();
    const bank_account = { currency: "EUR", account_number: id, swift_sort_code: "112233" };
    const times = { created_at: at, updated_at: at };
    this.beneficiaries.push({
      id,
      name: "Landlord",
      trusted: true,
      ...times,
      bank_account,
      ...more,
    });
    return `${id}-112233`;
  }

  addTransaction(more: object = {}): string {
    const id = `transaction-${this.transactions.length + 1}`;
    const at = this.#tick();
    this.transactions.push({
      id,
      bank_account_id: "account-1",
      amount: 12.34,
      amount_cents: 1234,
      currency: "EUR",
      side: "debit",
      status: "completed",
      subject_type: "Transfer",
      operation_type: "transfer",
      emitted_at: at,
      updated_at: at,
      label: "rent",
      ...more,
    });
    return id;
  }

  #transactionsOf({ query }: PspRequest): Item[] {
    const statuses = query.getAll("status[]");
    return this.transactions.filter(
      (item) =>
        item["bank_account_id"] === query.get("bank_account_id") &&
        statuses.includes(String(item["status"])),
    );
  }

  #tick(): string {
    this.#seconds++;
    return new Date(1_770_000_000_000 + this.#seconds * 1000).toISOString();
  }
}

function page(name: string, items: readonly Item[], { query }: PspRequest): Response {
  const from = query.get("updated_at_from") ?? "";
  if (from !== "" && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(from)) {
    return problem(400, "bad_request");
  }
  const [number, size] = [Number(query.get("page")), Number(query.get("per_page"))];
  const wanted = items
    .filter((item) => item.updated_at >= from)
    .toSorted((a, b) => (a.updated_at < b.updated_at ? -1 : 1));
  return jsonAnswer({
    [name]: numberedPage(wanted, { number, size }),
    meta: { current_page: number, per_page: size, total_count: wanted.length },
  });
}

export const problem = (status: number, code: string): Response =>
  jsonAnswer({ errors: [{ code, detail: "not possible" }] }, status);
