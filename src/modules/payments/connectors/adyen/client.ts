import { z } from "zod";
import type { AdyenConfig } from "./config.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

const TEST_URL = "https://management-test.adyen.com";
const LIVE_URL = "https://management-live.adyen.com";

/** Page size of the list of webhooks. */
const WEBHOOKS_PER_PAGE = 50;
/** Most pages of webhooks that are read. A company has few webhooks. */
const WEBHOOK_PAGES_MAX = 100;
const NO_CONTENT = 204;

const Page = z.object({
  pagesTotal: z.int(),
  /** The objects of the page; absent on a page without objects. */
  data: z
    .array(z.unknown())
    .nullish()
    .transform((data) => data ?? []),
});
export type AdyenPage = z.output<typeof Page>;

const Webhook = z.object({
  id: kit.Text,
  type: z.string(),
  description: z.string().nullish(),
});
type Webhook = z.output<typeof Webhook>;
const Webhooks = Page.extend({
  data: z
    .array(Webhook)
    .nullish()
    .transform((data) => data ?? []),
});

const HmacKey = z.object({ hmacKey: z.string().regex(/^(?:[0-9A-Fa-f]{2})+$/) });

export interface AdyenWebhookSettings {
  readonly description: string;
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
}

const FIXED_SETTINGS = {
  active: true,
  communicationFormat: "json",
  filterMerchantAccountType: "allAccounts",
  sslVersion: "TLSv1.3",
} as const;

/** The Management API of Adyen, version 3. All methods throw `ConnectorError`. */
export class AdyenClient {
  readonly #api: kit.ApiClient;
  readonly #company: string;

  /** Without a URL, the configuration decides between the live and the test platform. */
  constructor(
    fetch: kit.ProviderFetch,
    { apiKey, companyID, liveEndpointPrefix }: AdyenConfig,
    baseUrl = liveEndpointPrefix === "" ? TEST_URL : LIVE_URL,
  ) {
    this.#api = new kit.ApiClient(fetch, {
      baseUrl: `${baseUrl}/v3`,
      headers: () => ({ "x-api-key": apiKey }),
    });
    this.#company = `/companies/${encodeURIComponent(companyID)}`;
  }

  /** Lists webhooks, which only a key with the role for managing webhooks may. */
  async checkAccess(): Promise<void> {
    await this.#listWebhooks(1);
  }

  listMerchants(pageNumber: number, pageSize: number): Promise<AdyenPage> {
    const query = { pageNumber, pageSize };
    return this.#readPage({ path: "/merchants", query }, Page, "a page of merchant accounts");
  }

  /** All standard webhooks that have a description. */
  async findWebhooks(description: string): Promise<Webhook[]> {
    const found: Webhook[] = [];
    for (let page = 1; page <= WEBHOOK_PAGES_MAX; page++) {
      const { data, pagesTotal } = await this.#listWebhooks(page);
      found.push(
        ...data.filter((each) => each.type === "standard" && each.description === description),
      );
      if (page >= pagesTotal) break;
    }
    return found;
  }

  #listWebhooks(pageNumber: number): Promise<z.output<typeof Webhooks>> {
    const query = { pageNumber, pageSize: WEBHOOKS_PER_PAGE };
    const path = `${this.#company}/webhooks`;
    return this.#readPage({ path, query }, Webhooks, "a page of webhooks");
  }

  /** A page of a list. The provider answers 204 for an empty list. */
  async #readPage<S extends z.ZodType>(
    call: kit.ApiCall,
    schema: S,
    what: string,
  ): Promise<z.output<S>> {
    const response = await this.#api.send(call);
    kit.assertFound(response);
    const value = response.status === NO_CONTENT ? { pagesTotal: 0 } : kit.parseAnswer(response);
    return kit.parseObject(schema, value, what);
  }

  async createWebhook(settings: AdyenWebhookSettings): Promise<Webhook> {
    const path = `${this.#company}/webhooks`;
    const json = { ...FIXED_SETTINGS, ...settings, type: "standard" };
    return this.#api.read({ method: "POST", path, json }, Webhook, "a webhook");
  }

  async updateWebhook(id: string, settings: AdyenWebhookSettings): Promise<void> {
    const path = this.#webhookPath(id);
    const json = { ...FIXED_SETTINGS, ...settings };
    await this.#api.read({ method: "PATCH", path, json }, Webhook, "a webhook");
  }

  /** Makes a new key for the signatures of a webhook, in hexadecimal digits. The new key replaces the previous one. */
  async generateHmacKey(id: string): Promise<string> {
    const path = `${this.#webhookPath(id)}/generateHmac`;
    const { hmacKey } = await this.#api.read({ method: "POST", path }, HmacKey, "an HMAC key");
    return hmacKey;
  }

  /** Deletes a webhook. A webhook that does not exist any more counts as deleted. */
  async deleteWebhook(id: string): Promise<void> {
    await this.#api.send({ method: "DELETE", path: this.#webhookPath(id) });
  }

  #webhookPath(id: string): string {
    return `${this.#company}/webhooks/${encodeURIComponent(id)}`;
  }
}
