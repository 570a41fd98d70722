import { z } from "zod";
import * as kit from "#modules/payments/connectors/kit/index.ts";

export const WISE_URL = "https://api.wise.com";

/** The supported currencies among those of the provider's balances. */
export const CURRENCIES = new kit.Currencies({
  known:
    "AUD BGN BRL CAD CNY CHF CZK DKK EUR GBP IDR JPY MYR NOK NZD PLN RON SEK SGD TRY USD".split(
      " ",
    ),
});

export const skipCurrency = kit.currencySkipper("wise");

/** An amount in a supported currency; undefined and logged for another currency. */
export function amountOf(
  { value, currency }: { readonly value: string; readonly currency: string },
  item: { readonly what: string; readonly id: string },
): kit.ProviderAmount | undefined {
  const amount = CURRENCIES.fromDecimal(value, currency);
  if (amount === undefined) skipCurrency(item.what, item.id, currency);
  return amount;
}

export const WiseProfile = z.object({ id: kit.Id, type: kit.Text });
const WiseProfiles = z.array(WiseProfile);
export type WiseProfile = z.output<typeof WiseProfile>;

/** A balance as the provider has sent it, with its id and currency. */
export interface WiseBalance {
  readonly id: string;
  readonly currency: string;
  readonly value: unknown;
}

const WiseBalanceKey = z.object({ id: kit.Id, amount: z.object({ currency: kit.Text }) });

/** The profile of a recipient. */
const Owner = z.object({ profile: kit.Id.nullish() });

const WiseSubscription = z.object({
  id: kit.Id,
  name: z.string(),
  trigger_on: z.string(),
  delivery: z.object({ url: z.string() }),
});
const WiseSubscriptions = z.array(WiseSubscription);
export type WiseSubscription = z.output<typeof WiseSubscription>;

/** Most recipients whose profiles are in the cache. */
const OWNERS_MAX = 2048;
/** The text in the provider's error for a deleted recipient. */
const RECIPIENT_MISSING = "RECIPIENT_MISSING";

/**
 * The API of Wise. Lookups of profiles, balances and recipients are cached, since they do not change. All methods throw
 * `ConnectorError`.
 */
export class WiseClient extends kit.ApiClient {
  #profiles: Promise<WiseProfile[]> | undefined;
  readonly #balances = new Map<string, Promise<readonly WiseBalance[]>>();
  readonly #owners = new Map<string, string | undefined>();

  constructor(
    fetch: kit.ProviderFetch,
    options: { readonly apiKey: string; readonly baseUrl: string },
  ) {
    super(fetch, {
      baseUrl: options.baseUrl,
      headers: () => ({ authorization: `Bearer ${options.apiKey}` }),
    });
  }

  listProfiles(): Promise<WiseProfile[]> {
    return this.read({ path: "/v2/profiles" }, WiseProfiles, "the profiles");
  }

  async listBalances(profile: string): Promise<readonly WiseBalance[]> {
    return (await this.readBalances(profile)).items;
  }

  async readBalances(profile: string): Promise<kit.ReadItems<WiseBalance>> {
    const path = `/v4/profiles/${encodeURIComponent(profile)}/balances`;
    const query = { types: "STANDARD" };
    const values = await this.read({ path, query }, z.array(z.unknown()), "the balances");
    return kit.readEach(values, (value) => {
      const { id, amount } = kit.parseObject(WiseBalanceKey, value, "a balance");
      return { id, currency: amount.currency, value };
    });
  }

  /** Whether the API key can access a profile. */
  async isOwnProfile(profile: string): Promise<boolean> {
    this.#profiles ??= this.listProfiles();
    try {
      return (await this.#profiles).some(({ id }) => id === profile);
    } catch (error) {
      this.#profiles = undefined;
      throw error;
    }
  }

  /** The id of a profile's balance in a currency; undefined if the profile has none. */
  async findBalance(profile: string, currency: string): Promise<string | undefined> {
    const listed = this.#balances.get(profile) ?? this.listBalances(profile);
    this.#balances.set(profile, listed);
    try {
      return (await listed).find((balance) => balance.currency === currency)?.id;
    } catch (error) {
      this.#balances.delete(profile);
      throw error;
    }
  }

  /** The profile that a recipient belongs to; undefined for a deleted recipient. */
  async findOwner(recipient: string): Promise<string | undefined> {
    if (this.#owners.has(recipient)) return this.#owners.get(recipient);
    const owner = await this.#readOwner(recipient);
    if (this.#owners.size >= OWNERS_MAX) this.#owners.clear();
    this.#owners.set(recipient, owner);
    return owner;
  }

  async #readOwner(recipient: string): Promise<string | undefined> {
    const path = `/v1/accounts/${encodeURIComponent(recipient)}`;
    try {
      return (await this.find({ path }, Owner, "a recipient"))?.profile ?? undefined;
    } catch (error) {
      const isGone =
        error instanceof kit.ConnectorError && error.message.includes(RECIPIENT_MISSING);
      if (isGone) return undefined;
      throw error;
    }
  }

  listSubscriptions(profile: string): Promise<WiseSubscription[]> {
    return this.read(
      { path: subscriptionsOf(profile) },
      WiseSubscriptions,
      "the webhooks of a profile",
    );
  }

  createSubscription(profile: string, json: object): Promise<WiseSubscription> {
    const path = subscriptionsOf(profile);
    return this.read({ method: "POST", path, json }, WiseSubscription, "a webhook");
  }

  /** Deletes a webhook. A webhook that does not exist any more counts as deleted. */
  async deleteSubscription(profile: string, id: string): Promise<void> {
    const path = `${subscriptionsOf(profile)}/${encodeURIComponent(id)}`;
    await this.send({ method: "DELETE", path });
  }
}

const subscriptionsOf = (profile: string): string =>
  `/v3/profiles/${encodeURIComponent(profile)}/subscriptions`;
