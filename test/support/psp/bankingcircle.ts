import { FakePsp, jsonAnswer, numberedPage, type PspRequest } from "./fake-psp.ts";
import { basicAuth } from "#modules/payments/connectors/kit/signatures.ts";
import { formatTimestamp, fromMillis } from "#platform/time.ts";

/** A self-signed certificate and its key. */
const CERTIFICATE = [
  "-----BEGIN CERTIFICATE-----",
  "MIIBiTCCAS+gAwIBAgIULKZiQnKCbSK6Fyku3ZQ6b6Yqt1AwCgYIKoZIzj0EAwIw",
  "GTEXMBUGA1UEAwwOZmxvcmluLmV4YW1wbGUwIBcNMjYxMTIyMjExMjE1WhgPMjEy",
  "NjEwMjkyMTEyMTVaMBkxFzAVBgNVBAMMDmZsb3Jpbi5leGFtcGxlMFkwEwYHKoZI",
  "zj0CAQYIKoZIzj0DAQcDQgAEOep4IuEihuOdq/q9mLrLhR0lpNAMPZKJknuf4rXE",
  "iGPhl7zgQ23hQ+Li7maoELC914PVvlsRSmeGZwH7nze99aNTMFEwHQYDVR0OBBYE",
  "FDcZ4lsqYRZcaN7GU1rtqHc5A8Q1MB8GA1UdIwQYMBaAFDcZ4lsqYRZcaN7GU1rt",
  "qHc5A8Q1MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhALg1kN5b",
  "oEFKPlXq+zXGCCCkqtHxosljnYwXOeARaKwsAiBQ6f93sqhcVmf8bRdz4Hd2Bsib",
  "2KZVGd2HPRXYYDSzrA==",
  "-----END CERTIFICATE-----",
].join("\n");
const CERTIFICATE_KEY = [
  "-----BEGIN PRIVATE KEY-----",
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgUBLEXg7wDD78xxq/",
  "/mCB0aTPW1Uzomd0ZpdQTkfike6hRANCAAQ56ngi4SKG452r+r2YusuFHSWk0Aw9",
  "komSe5/itcSIY+GXvOBDbeFD4uLuZqgQsL3Xg9W+WxFKZ4ZnAfufN731",
  "-----END PRIVATE KEY-----",
].join("\n");

export const BANKINGCIRCLE_CONFIG = {
  username: "florin",
  password: "psp-secret-bankingcircle",
  endpoint: "https://api.bankingcircle.example",
  authorizationEndpoint: "https://authorization.bankingcircle.example",
  userCertificate: CERTIFICATE,
  userCertificateKey: CERTIFICATE_KEY,
};

type Value = Readonly<Record<string, unknown>>;

/** The reference of an account that accepts no money. */
export const CLOSED_ACCOUNT = "closed";
const BEGIN_MS = Date.parse("2026-02-02T02:40:00Z");
const PAYMENTS = "/api/v1/payments/singles";

/** The API of Banking Circle: a login at another host, and lists in numbered pages. */
export class FakeBankingCircle extends FakePsp {
  readonly accounts: Value[] = [];
  readonly payments: Value[] = [];
  /** The number of issued tokens. Only the last token is valid. */
  tokens = 0;
  /** Members that replace those of new payments. */
  answered: Value = {};
  readonly #byKey = new Map<string, Value>();
  #count = 0;

  constructor() {
    const { username, password, endpoint, authorizationEndpoint } = BANKINGCIRCLE_CONFIG;
    super({
      origins: [endpoint, authorizationEndpoint],
      refuse: ({ headers, path }) => {
        const isLogin = path.endsWith("/authorize");
        const expected = isLogin
          ? basicAuth(username, password)
          : `Bearer psp-token-${this.tokens}`;
        return headers.get("authorization") === expected ? undefined : problem(401, "no access");
      },
    });
    this.route("GET", "/api/v1/authorizations/authorize", () =>
      jsonAnswer({ access_token: `psp-token-${++this.tokens}`, expires_in: "300" }),
    );
    this.route("GET", "/api/v1/accounts", (request) => {
      const from = request.query.get("OpeningDateFrom") ?? "";
      return page(
        this.accounts.filter((account) => String(account["openingDate"]) >= from),
        request,
      );
    });
    this.route("GET", "/api/v1/accounts/:id", ({ params }) =>
      one(this.accounts, "accountId", params["id"]),
    );
    this.route("GET", PAYMENTS, (request) => page(this.payments, request));
    this.route("GET", `${PAYMENTS}/:id`, ({ params }) =>
      one(this.payments, "paymentId", params["id"]),
    );
    this.route("POST", PAYMENTS, ({ json }) => this.#pay(json()));
  }

  #now(): string {
    return formatTimestamp(fromMillis(BEGIN_MS + this.#count * 1000));
  }

  addAccount(more: Value = {}): string {
    const accountId = `account-${++this.#count}`;
    this.accounts.push({
      accountId,
      accountDescription: "Main account",
      accountIdentifiers: [IDENTIFIER],
      status: "Open",
      currency: "EUR",
      openingDate: this.#now(),
      balances: [
        { type: "BeginOfDay", currency: "EUR", beginOfDayAmount: 120.5, intraDayAmount: -20.25 },
      ],
      ...more,
    });
    return accountId;
  }

  addPayment(more: Value = {}): string {
    const paymentId = `payment-${++this.#count}`;
    this.payments.push({
      paymentId,
      classification: "Outgoing",
      status: "Processed",
      latestStatusChangedTimestamp: this.#now(),
      transfer: { amount: { currency: "EUR", amount: 10.5 }, chargeBearer: "SHA" },
      debtorInformation: { accountId: "account-1", account: IDENTIFIER },
      creditorInformation: { accountId: null },
      ...more,
    });
    return paymentId;
  }

  /** Changes the status of a payment at the present time. */
  change(id: string, status: string): void {
    const at = this.payments.findIndex(({ paymentId }) => paymentId === id);
    this.#count++;
    this.payments[at] = { ...this.payments[at], status, latestStatusChangedTimestamp: this.#now() };
  }

  #pay(asked: Value): Response {
    const { idempotencyKey, creditorAccount, amount } = asked;
    const { account } = creditorAccount as { account: string }; // the connector sends this shape
    if (account === CLOSED_ACCOUNT) return problem(400, "the account is closed");
    const made = this.#byKey.get(String(idempotencyKey)) ?? {
      paymentId: this.addPayment({
        status: "PendingProcessing",
        transfer: { amount },
        ...this.answered,
      }),
      status: "PendingProcessing",
    };
    this.#byKey.set(String(idempotencyKey), made);
    return jsonAnswer(made, 201);
  }
}

export const IDENTIFIER = {
  account: "DK5000400440116243",
  financialInstitution: "SXPYDKKK",
  country: "DK",
};

function page(items: readonly Value[], { query }: PspRequest): Response {
  const [number, size] = [Number(query.get("PageNumber")), Number(query.get("PageSize"))];
  if (!(number >= 1) || !(size >= 1)) return problem(400, "the page is not valid");
  return jsonAnswer({
    result: numberedPage(items, { number, size }),
    pageInfo: { currentPage: number, pageSize: size },
  });
}

function one(items: readonly Value[], name: string, id: string | undefined): Response {
  const item = items.find((each) => each[name] === id);
  return item === undefined ? problem(404, "not found") : jsonAnswer(item);
}

export const problem = (status: number, errorText: string): Response =>
  jsonAnswer({ errors: [{ errorCode: `${status}`, message: errorText }] }, status);
