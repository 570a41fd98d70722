import { FakePsp, jsonAnswer, numberedPage, type PspRequest } from "./fake-psp.ts";

export const GENERIC_ENDPOINT = "https://generic.example/v1";
export const GENERIC_KEY = "psp-secret-generic";

interface Item {
  readonly id: string;
  readonly [name: string]: unknown;
}

/** The REST contract of generic connectors. Each item is a second newer than the item before. */
export class FakeGeneric extends FakePsp {
  readonly accounts: Item[] = [];
  readonly beneficiaries: Item[] = [];
  readonly transactions: Item[] = [];
  readonly balances: { currency: string; amount: string }[] = [];
  readonly movements = new Map<unknown, Item>();
  #seconds = 0;

  constructor() {
    super({
      origins: [new URL(GENERIC_ENDPOINT).origin],
      refuse: ({ headers }) =>
        headers.get("authorization") === `Bearer ${GENERIC_KEY}`
          ? undefined
          : jsonAnswer({ title: "Unauthorized", detail: "the key is not known" }, 401),
    });
    this.route("GET", "/v1/accounts", (request) => page(this.accounts, "createdAt", request));
    this.route("GET", "/v1/beneficiaries", (request) =>
      page(this.beneficiaries, "createdAt", request),
    );
    this.route("GET", "/v1/transactions", (request) =>
      page(this.transactions, "updatedAt", request),
    );
    this.route("GET", "/v1/accounts/:id/balances", ({ params }) =>
      jsonAnswer({ id: "1", accountID: params["id"], at: this.tick(), balances: this.balances }),
    );
    this.route("GET", "/v1/movements/:key", ({ params }) => {
      const made = this.movements.get(params["key"]);
      return made === undefined ? jsonAnswer({ title: "Not found" }, 404) : jsonAnswer(made);
    });
    this.route("POST", "/v1/transfers", (request) => this.#move(request));
    this.route("POST", "/v1/payouts", (request) => this.#move(request));
  }

  tick(): string {
    this.#seconds++;
    return new Date(1_770_000_000_000 + this.#seconds * 1000).toISOString();
  }

  addTransaction(id: string, more: object = {}): void {
    const time = this.tick();
    this.transactions.push({
      id,
      createdAt: time,
      updatedAt: time,
      currency: "USD/2",
      type: "PAYIN",
      status: "SUCCEEDED",
      amount: "5000",
      ...more,
    });
  }

  #move({ json }: PspRequest): Response {
    const { idempotencyKey, ...movement } = json();
    if (movement["destinationAccountId"] === "closed") {
      return jsonAnswer({ title: "Refused", detail: "the account is closed" }, 400);
    }
    const made = this.movements.get(idempotencyKey) ?? {
      ...movement,
      id: `movement-${this.movements.size + 1}`,
      status: "SUCCEEDED",
      createdAt: this.tick(),
    };
    this.movements.set(idempotencyKey, made);
    return jsonAnswer(made);
  }
}

function page(items: readonly Item[], time: string, { query }: PspRequest): Response {
  const from = query.get(`${time}From`) ?? "";
  const wanted = items.filter((item) => String(item[time]).slice(0, 19) >= from.slice(0, 19));
  const [number, size] = [Number(query.get("page")), Number(query.get("pageSize"))];
  return jsonAnswer(numberedPage(wanted, { number, size }));
}
