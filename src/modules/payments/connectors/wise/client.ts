import { z } from "zod";
import * as kit from "#modules/payments/connectors/kit/index.ts";

export const WISE_URL = "https://api.wise.com";

/** What is known here of the currencies that the provider has balances in. */
export const CURRENCIES = new kit.Currencies({
  known:
    "AUD BGN BRL CAD CNY CHF CZK DKK EUR GBP IDR JPY MYR NOK NZD PLN RON SEK SGD TRY USD".split(
      " ",
    ),
});

/** Logs that an item in another currency is left out. */
export const skipCurrency = kit.currencySkipper("wise");

/** An amount in a supported currency; undefined, with a line in the log, for another one. */
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

/** A balance as the provider has sent it, with what it is found by. */
export interface WiseBalance {
  readonly id: string;
  readonly currency: string;
  readonly value: unknown;
}

const WiseBalanceKey = z.object({ id: kit.Id, amount: z.object({ currency: kit.Text }) });

/** Whose a recipient is. */
const Owner = z.object({ profile: kit.Id.nullish() });

const WiseSubscription = z.object({
  id: kit.Id,
  name: z.string(),
  trigger_on: z.string(),
  delivery: z.object({ url: z.string() }),
});
const WiseSubscriptions = z.array(WiseSubscription);
export type WiseSubscription = z.output<typeof WiseSubscription>;

/** Most recipients whose owners are remembered. */
const OWNERS_MAX = 2048;
/** How the provider says that a recipient was deleted. */
const RECIPIENT_MISSING = "RECIPIENT_MISSING";

/** The API of Wise. What does not change is asked for once. */
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

  /** Whether a profile is one of those that the key opens. */
  async isOwnProfile(profile: string): Promise<boolean> {
    this.#profiles ??= this.listProfiles();
    try {
      return (await this.#profiles).some(({ id }) => id === profile);
    } catch (error) {
      this.#profiles = undefined;
      throw error;
    }
  }

  /** The balance that a profile has in a currency; undefined where it has none. */
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

  /** The profile that a recipient belongs to; undefined for one that was deleted. */
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

  /** A webhook that is not there any more is removed. */
  async deleteSubscription(profile: string, id: string): Promise<void> {
    const path = `${subscriptionsOf(profile)}/${encodeURIComponent(id)}`;
    await this.send({ method: "DELETE", path });
  }
}

const subscriptionsOf = (profile: string): string =>
  `/v3/profiles/${encodeURIComponent(profile)}/subscriptions`;
