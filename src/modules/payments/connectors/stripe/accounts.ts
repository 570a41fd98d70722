import { z } from "zod";
import type { StripeClient, StripeObject } from "./client.ts";
import { LostCursorError } from "./errors.ts";
import { CURRENCIES, Reference } from "./objects.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import { readPage } from "#modules/payments/connectors/kit/items.ts";
import {
  Metadata,
  OptionalText,
  parseObject,
  Text,
  UnixSeconds,
} from "#modules/payments/connectors/kit/objects.ts";
import { onlyPage, requireAccount } from "#modules/payments/connectors/kit/pages.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import { fetchTimeline, type Timeline } from "#modules/payments/connectors/kit/timeline.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";
import type { Clock, Timestamp } from "#platform/time.ts";

const State = z.object({ hasOwn: z.boolean(), timeline: z.unknown().optional() });

/** The account of the key comes first, and then those that are connected to it. */
export async function fetchAccounts(
  { client, clock }: { readonly client: StripeClient; readonly clock: Clock },
  { state, pageSize }: FetchRequest,
): Promise<FetchPage<ProviderAccount>> {
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
  return readPage(all, (object) => toAccount(object, clock));
}

/** The bank accounts of a connected account. Those of the key's own account are not listed by the provider. */
export async function fetchExternalAccounts(
  client: StripeClient,
  { parent, state, pageSize }: FetchRequest,
): Promise<FetchPage<ProviderAccount>> {
  const { reference, createdAt } = requireAccount(parent, "external accounts");
  if (reference === (await client.ownAccount())) return onlyPage([]);
  const path = `/accounts/${encodeURIComponent(reference)}/external_accounts`;
  const query = { object: "bank_account" };
  const page = await fetchFrom(state, {
    list: (place) => client.list({ path, query, place, limit: pageSize }),
    idOf: ({ id }) => id,
  });
  return readPage(page, (object) => toExternalAccount(object, createdAt));
}

/** A list whose place was lost, because the object at it was deleted, is read anew. */
async function fetchFrom(
  state: unknown,
  timeline: Timeline<StripeObject>,
): Promise<FetchPage<StripeObject>> {
  try {
    return await fetchTimeline(state, timeline);
  } catch (error) {
    if (!(error instanceof LostCursorError)) throw error;
    return fetchTimeline(undefined, timeline);
  }
}

const Account = z.object({
  id: Text,
  created: UnixSeconds.nullish(),
  default_currency: OptionalText,
  metadata: Metadata,
  settings: z.object({ dashboard: z.object({ display_name: OptionalText }).nullish() }).nullish(),
});

function toAccount({ value }: StripeObject, clock: Clock): ProviderAccount {
  const account = parseObject(Account, value, "an account");
  const name = account.settings?.dashboard?.display_name;
  return {
    reference: account.id,
    // Unknown of accounts that were connected in another way than by the API.
    createdAt: account.created ?? clock(),
    ...(name === undefined ? {} : { name }),
    ...assetMember(account.default_currency),
    metadata: account.metadata,
    raw: rawOf(value),
  };
}

const BankAccount = z.object({
  id: Text,
  account: Reference,
  currency: OptionalText,
  metadata: Metadata,
});

/** The provider does not say when it was added: it is as old as the account. */
function toExternalAccount(
  { value }: StripeObject,
  createdAt: Timestamp,
): ProviderAccount | undefined {
  const { id, account, currency, metadata } = parseObject(BankAccount, value, "a bank account");
  if (account === undefined) return undefined;
  return { reference: id, createdAt, ...assetMember(currency), metadata, raw: rawOf(value) };
}

function assetMember(currency: string | undefined): { readonly defaultAsset?: string } {
  const asset = currency === undefined ? undefined : CURRENCIES.assetOf(currency);
  return asset === undefined ? {} : { defaultAsset: asset };
}
