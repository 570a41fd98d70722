import { z } from "zod";
import type { StripeClient, StripeObject } from "./client.ts";
import { LostCursorError } from "./errors.ts";
import { CURRENCIES, Reference } from "./objects.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import type { Clock, Timestamp } from "#platform/time.ts";

const State = z.object({ hasOwn: z.boolean(), timeline: z.unknown().optional() });

/** The accounts: first the API key's own account, then the accounts that are connected to it. */
export async function fetchAccounts(
  { client, clock }: kit.ClientWith<StripeClient, "clock">,
  { state, pageSize }: kit.FetchRequest,
): Promise<kit.AccountsPage> {
  const { hasOwn, timeline } = State.parse(state ?? { hasOwn: false });
  const own = hasOwn ? [] : [await client.readOwnAccount()];
  const limit = Math.max(pageSize - own.length, 1);
  const page = await fetchFrom(timeline, {
    list: (place) => client.list({ path: "/accounts", place, limit }),
    idOf: ({ id }) => id,
  });
  const all = {
    ...page,
    items: [...own, ...page.items],
    state: { hasOwn: true, timeline: page.state },
  };
  return kit.readPage(all, (object) => toAccount(object, clock));
}

/** The bank accounts of a connected account. The provider does not list those of the API key's own account. */
export async function fetchExternalAccounts(
  client: StripeClient,
  { parent, state, pageSize }: kit.FetchRequest,
): Promise<kit.AccountsPage> {
  const { reference, createdAt } = kit.requireAccount(parent, "external accounts");
  if (reference === (await client.ownAccount())) return kit.onlyPage([]);
  const path = `/accounts/${encodeURIComponent(reference)}/external_accounts`;
  const query = { object: "bank_account" };
  const page = await fetchFrom(state, {
    list: (place) => client.list({ path, query, place, limit: pageSize }),
    idOf: ({ id }) => id,
  });
  return kit.readPage(page, (object) => toExternalAccount(object, createdAt));
}

/** Fetches a page of a list. If the object at the stored place was deleted, the list is read from its beginning. */
async function fetchFrom(
  state: unknown,
  timeline: kit.Timeline<StripeObject>,
): Promise<kit.FetchPage<StripeObject>> {
  try {
    return await kit.fetchTimeline(state, timeline);
  } catch (error) {
    if (!(error instanceof LostCursorError)) throw error;
    return kit.fetchTimeline(undefined, timeline);
  }
}

const Account = z.object({
  id: kit.Text,
  created: kit.UnixSeconds.nullish(),
  default_currency: kit.OptionalText,
  metadata: kit.Metadata,
  settings: z
    .object({ dashboard: z.object({ display_name: kit.OptionalText }).nullish() })
    .nullish(),
});

function toAccount({ value }: StripeObject, clock: Clock): kit.ProviderAccount {
  const account = kit.parseObject(Account, value, "an account");
  const name = account.settings?.dashboard?.display_name;
  return {
    reference: account.id,
    // Accounts that were connected in another way than by the API have no time of creation.
    createdAt: account.created ?? clock(),
    ...kit.given({ name }),
    ...assetMember(account.default_currency),
    metadata: account.metadata,
    raw: kit.rawOf(value),
  };
}

const BankAccount = z.object({
  id: kit.Text,
  account: Reference,
  currency: kit.OptionalText,
  metadata: kit.Metadata,
});

/** A bank account of a connected account. Its time is that of the account, because the provider gives none. */
function toExternalAccount(
  { value }: StripeObject,
  createdAt: Timestamp,
): kit.ProviderAccount | undefined {
  const { id, account, currency, metadata } = kit.parseObject(BankAccount, value, "a bank account");
  if (account === undefined) return undefined;
  return { reference: id, createdAt, ...assetMember(currency), metadata, raw: kit.rawOf(value) };
}

const assetMember = (currency: string | undefined): { readonly defaultAsset?: string } =>
  kit.given({ defaultAsset: CURRENCIES.assetOf(currency) });
