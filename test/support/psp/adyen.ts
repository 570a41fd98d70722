import { createHmac } from "node:crypto";
import { FakePsp, jsonAnswer, numberedPage, type PspRequest } from "./fake-psp.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";
import type { Sent } from "#test/support/payments/conformance/subject.ts";

export const ADYEN_ORIGIN = "https://management-test.adyen.com";
export const ADYEN_CONFIG = {
  apiKey: "psp-secret-adyen-key",
  companyID: "FlorinCompany",
  liveEndpointPrefix: "",
  webhookUsername: "florin",
  webhookPassword: "psp-secret-adyen-password",
};

interface Webhook {
  readonly id: string;
  readonly description?: string;
  readonly url?: string;
  readonly username?: string;
  readonly password?: string;
  readonly type: string;
  /** The key in hexadecimal digits; absent until one is made. */
  readonly hmacKey?: string;
}

/** The Management API (version 3) of Adyen's test platform, and its notifications. */
export class FakeAdyen extends FakePsp {
  readonly merchants: { readonly id: string; readonly name: string }[] = [];
  readonly webhooks = new Map<string, Webhook>();
  #count = 0;

  constructor() {
    super({
      origins: [ADYEN_ORIGIN],
      refuse: ({ headers }) =>
        headers.get("x-api-key") === ADYEN_CONFIG.apiKey
          ? undefined
          : problem(401, "00_401", "Invalid API key"),
    });
    const company = `/v3/companies/${ADYEN_CONFIG.companyID}/webhooks`;
    this.route("GET", "/v3/merchants", (request) => page(this.merchants, request));
    this.route("GET", company, (request) =>
      page([...this.webhooks.values()].map(withoutKey), request),
    );
    this.route("POST", company, ({ json }) => this.#save(`S2-${++this.#count}`, json()));
    this.route("PATCH", `${company}/:id`, ({ params, json }) => this.#update(params, json()));
    this.route("POST", `${company}/:id/generateHmac`, ({ params }) => this.#generate(params));
    this.route("DELETE", `${company}/:id`, ({ params }) =>
      this.webhooks.delete(params["id"] ?? "")
        ? new Response(null, { status: 204 })
        : problem(404, "00_404", "Not found"),
    );
  }

  addMerchants(count: number): string[] {
    return Array.from({ length: count }, () => {
      const id = `Merchant${this.merchants.length + 1}`;
      this.merchants.push({ id, name: `Shop ${this.merchants.length + 1}` });
      return id;
    });
  }

  /** The delivery to the webhook with a path: a notification with the given items, signed with the webhook's key. */
  notify(urlPath: string, ...items: readonly object[]): Sent {
    const webhook = [...this.webhooks.values()].find(({ url }) => url?.endsWith(urlPath));
    const { username, password, hmacKey = "" } = webhook ?? {};
    const body = JSON.stringify({
      live: "false",
      notificationItems: items.map((item) => ({
        NotificationRequestItem: signed({ ...ITEM, ...item }, hmacKey),
      })),
    });
    const authorization = { authorization: `Basic ${btoa(`${username}:${password}`)}` };
    return {
      headers: { "content-type": "application/json", ...(username ? authorization : {}) },
      body,
    };
  }

  #save(id: string, settings: object): Response {
    const before = this.webhooks.get(id);
    const webhook: Webhook = { type: "standard", ...before, ...settings, id };
    this.webhooks.set(id, webhook);
    return jsonAnswer(withoutKey(webhook));
  }

  #update({ id = "" }: PspRequest["params"], settings: object): Response {
    return this.webhooks.has(id) ? this.#save(id, settings) : problem(404, "00_404", "Not found");
  }

  #generate({ id = "" }: PspRequest["params"]): Response {
    if (!this.webhooks.has(id)) return problem(404, "00_404", "Not found");
    const hmacKey = createHmac("sha256", id)
      .update(`${++this.#count}`)
      .digest("hex")
      .toUpperCase();
    this.#save(id, { hmacKey });
    return jsonAnswer({ hmacKey });
  }
}

/** An authorisation of ten euros by card. */
const ITEM = {
  pspReference: "8535296650153317",
  merchantAccountCode: "Merchant1",
  merchantReference: "order-1",
  eventCode: "AUTHORISATION",
  eventDate: "2026-03-01T09:00:00+01:00",
  success: "true",
  paymentMethod: "visa",
  amount: { value: 1000, currency: "EUR" },
};

/** An item with the provider's signature over its values, joined by colons. */
function signed(item: typeof ITEM & { originalReference?: string }, hmacKey: string): object {
  const text = [
    item.pspReference,
    item.originalReference ?? "",
    item.merchantAccountCode,
    item.merchantReference,
    item.amount.value,
    item.amount.currency,
    item.eventCode,
    item.success,
  ].join(":");
  const key = Buffer.from(hmacKey, "hex");
  const hmacSignature = createHmac("sha256", key).update(text).digest("base64");
  return { ...item, additionalData: { hmacSignature } };
}

export const toEventDate = (time: Timestamp): string => formatTimestamp(time);

const withoutKey = ({ hmacKey: _hmacKey, password: _password, ...webhook }: Webhook): object =>
  webhook;

function page(items: readonly object[], { query }: PspRequest): Response {
  const [number, size] = [Number(query.get("pageNumber")), Number(query.get("pageSize"))];
  if (!(number >= 1) || !(size >= 1 && size <= 100)) {
    return problem(422, "29_001", "Invalid page");
  }
  if (items.length === 0) return new Response(null, { status: 204 });
  const data = numberedPage(items, { number, size });
  return jsonAnswer({
    itemsTotal: items.length,
    pagesTotal: Math.ceil(items.length / size),
    ...(data.length === 0 ? {} : { data }),
  });
}

export const problem = (status: number, errorCode: string, detail: string): Response =>
  jsonAnswer({ type: "https://docs.adyen.com/errors", title: detail, status, errorCode }, status);
