import { z } from "zod";
import type { IncreaseConfig } from "./config.ts";
import type { ProviderFetch } from "#modules/payments/connectors/contract.ts";
import { ApiClient } from "#modules/payments/connectors/kit/client.ts";
import { Currencies } from "#modules/payments/connectors/kit/currencies.ts";
import type { NewestPage, NewestPlace } from "#modules/payments/connectors/kit/newest-list.ts";
import { OptionalText } from "#modules/payments/connectors/kit/objects.ts";
import { sha256 } from "#modules/payments/connectors/kit/signatures.ts";
import { log } from "#platform/log.ts";
import { formatTimestamp } from "#platform/time.ts";

/** What users and this connector add to the metadata of accounts and movements begins so. */
export const PREFIX = "com.increase.spec/";

/** The currencies that the provider has accounts in. Amounts are in minor units. */
export const CURRENCIES = new Currencies({ known: "CAD CHF EUR GBP JPY USD".split(" ") });

/** Items in other currencies are left out. */
export function noteCurrency(what: string, id: string, currency: string): void {
  log("info", "an item in a currency that is not supported is left out", {
    provider: "increase",
    what,
    id,
    currency,
  });
}

const Page = z.object({ data: z.array(z.unknown()), next_cursor: OptionalText });

/** The API of Increase. All methods throw `ConnectorError`. */
export class IncreaseClient {
  readonly #api: ApiClient;

  constructor(fetch: ProviderFetch, { apiKey, endpoint }: IncreaseConfig) {
    this.#api = new ApiClient(fetch, {
      baseUrl: endpoint,
      headers: () => ({ authorization: `Bearer ${apiKey}` }),
    });
  }

  /** A page of a list, its newest object first. */
  async list(path: string, { since, cursor, pageSize }: NewestPlace): Promise<NewestPage> {
    const query = {
      limit: pageSize,
      cursor,
      "created_at.on_or_after": since === undefined ? undefined : formatTimestamp(since),
    };
    const page = await this.#api.read({ path, query }, Page, "a list");
    return { values: page.data, next: page.next_cursor };
  }

  /** Undefined where the provider has no such object. */
  find<S extends z.ZodType>(
    path: string,
    schema: S,
    what: string,
  ): Promise<z.output<S> | undefined> {
    return this.#api.find({ path }, schema, what);
  }

  /** Makes an object once for each reference: with one that is known, the provider answers with what it has made before. */
  create(path: string, json: object, reference: string): Promise<unknown> {
    const headers = { "idempotency-key": sha256(reference, "hex") };
    return this.#api.read({ method: "POST", path, json, headers }, z.unknown(), "what was made");
  }

  async subscribe(json: object): Promise<unknown> {
    const call = { method: "POST", path: "/event_subscriptions", json } as const;
    return this.#api.read(call, z.unknown(), "a subscription");
  }

  /** A subscription that is not there any more is removed. */
  async unsubscribe(id: string): Promise<void> {
    const path = `/event_subscriptions/${encodeURIComponent(id)}`;
    await this.#api.send({ method: "PATCH", path, json: { status: "deleted" } });
  }
}
