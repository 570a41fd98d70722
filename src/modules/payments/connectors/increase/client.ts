import { z } from "zod";
import type { IncreaseConfig } from "./config.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { formatTimestamp } from "#platform/time.ts";

/** The metadata of accounts and movements. */
export const SPEC = new kit.SpecMetadata("com.increase.spec/");

/** The currencies that the provider has accounts in. Amounts are in minor units. */
export const CURRENCIES = new kit.Currencies({ known: "CAD CHF EUR GBP JPY USD".split(" ") });

export const skipCurrency = kit.currencySkipper("increase");

const Page = z.object({ data: z.array(z.unknown()), next_cursor: kit.OptionalText });

/** The API of Increase. All methods throw `ConnectorError`. */
export class IncreaseClient extends kit.ApiClient {
  constructor(fetch: kit.ProviderFetch, { apiKey, endpoint }: IncreaseConfig) {
    super(fetch, {
      baseUrl: endpoint,
      headers: () => ({ authorization: `Bearer ${apiKey}` }),
    });
  }

  /** A page of a list that has its newest object first. */
  async list(path: string, { since, cursor, pageSize }: kit.NewestPlace): Promise<kit.NewestPage> {
    const query = {
      limit: pageSize,
      cursor,
      "created_at.on_or_after": since === undefined ? undefined : formatTimestamp(since),
    };
    const page = await this.read({ path, query }, Page, "a list");
    return { values: page.data, next: page.next_cursor };
  }

  /** Creates an object once for each reference. For a known reference, the provider answers with the object that it has created before. */
  create(path: string, json: object, reference: string): Promise<unknown> {
    const headers = { "idempotency-key": kit.sha256(reference, "hex") };
    return this.read({ method: "POST", path, json, headers }, z.unknown(), "what was made");
  }

  async subscribe(json: object): Promise<unknown> {
    const call = { method: "POST", path: "/event_subscriptions", json } as const;
    return this.read(call, z.unknown(), "a subscription");
  }

  /** Deletes a subscription. A subscription that does not exist any more counts as deleted. */
  async unsubscribe(id: string): Promise<void> {
    const path = `/event_subscriptions/${encodeURIComponent(id)}`;
    await this.send({ method: "PATCH", path, json: { status: "deleted" } });
  }
}
