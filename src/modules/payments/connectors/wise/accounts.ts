import { z } from "zod";
import { type WiseBalance, CURRENCIES, skipCurrency, type WiseClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** The name of the metadata of an account that contains its profile. */
export const PROFILE_ID = "profile_id";

/** The profile that is the parent of a fetch. Throws `ConnectorError` if there is none. */
export function profileOf({ other }: Pick<kit.FetchRequest, "other">): string {
  if (other === undefined) throw kit.refused("this belongs to a profile");
  return other.reference;
}

const ProfileState = z.object({ lastProfileID: z.string().default("0") });

/** The new profiles. Only their ids and types are stored, because profiles contain names of persons. */
export async function fetchProfiles(
  client: WiseClient,
  request: kit.FetchRequest,
): Promise<kit.FetchPage<kit.ParentItem>> {
  const { lastProfileID } = ProfileState.parse(request.state ?? {});
  const { page, last, hasMore } = pageAfter(await client.listProfiles(), lastProfileID, request);
  const items = page.map(({ id, type }) => ({ reference: id, raw: stringifyJson({ id, type }) }));
  return { items, state: { lastProfileID: last }, hasMore };
}

const AccountState = z.object({ lastAccountID: z.string().default("0") });

/** The accounts of a profile, which are the balances that it has opened. */
export async function fetchAccounts(
  client: WiseClient,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> {
  const { lastAccountID } = AccountState.parse(request.state ?? {});
  const profile = profileOf(request);
  const { items: balances, rejected } = await client.readBalances(profile);
  const { page, last, hasMore } = pageAfter(balances, lastAccountID, request);
  const listed = { items: page, rejected, state: { lastAccountID: last }, hasMore };
  return kit.readPage(listed, (balance) => toAccount(balance, profile));
}

/** The first items of a list after an item, in the order of their ids, which increase. The provider gives the list as a whole. */
function pageAfter<Item extends { readonly id: string }>(
  items: readonly Item[],
  last: string,
  { pageSize }: kit.FetchRequest,
): { readonly page: Item[]; readonly last: string; readonly hasMore: boolean } {
  const later = items.filter(({ id }) => isLater(id, last)).toSorted(byId);
  const page = later.slice(0, pageSize);
  return { page, last: page.at(-1)?.id ?? last, hasMore: later.length > page.length };
}

const DIGITS = /^\d{1,30}$/;

/** An id as a number. Throws `ConnectorError` for an id that is not a number. */
export function numberOf(id: string): bigint {
  if (DIGITS.test(id)) return BigInt(id);
  throw kit.refused(`the id ${id} of the provider is no number`);
}

export const isLater = (id: string, last: string): boolean => numberOf(id) > numberOf(last);

const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  isLater(a.id, b.id) ? 1 : -1;

const Account = z.object({ creationTime: kit.Date3339, name: kit.OptionalText });

function toAccount(
  { id, currency, value }: WiseBalance,
  profile: string,
): kit.ProviderAccount | undefined {
  const { creationTime, name } = kit.parseObject(Account, value, "a balance");
  const asset = CURRENCIES.assetOf(currency);
  if (asset === undefined) return skipCurrency("balance", id, currency);
  return {
    reference: id,
    createdAt: creationTime,
    ...kit.given({ name }),
    defaultAsset: asset,
    metadata: { [PROFILE_ID]: profile },
    raw: stringifyJson(value),
  };
}

const Recipient = z.object({
  id: kit.Id,
  currency: kit.Text,
  name: z.object({ fullName: kit.OptionalText }).nullish(),
});

const RecipientPage = z.object({
  content: z.array(z.unknown()),
  seekPositionForNext: kit.Id.nullish(),
});

const RecipientState = z.object({
  /** The position of the page; absent for the first page. */
  lastSeekPosition: z.string().optional(),
  /** The id of the last known recipient. */
  lastRecipientID: z.string().default("0"),
});

/**
 * The recipients of a profile, in the order of their ids. Each run requests the last page again. A full page without new recipients is the
 * answer to another request, and the next run requests the page again.
 */
export async function fetchRecipients(
  { client, clock }: kit.ClientWith<WiseClient, "clock">,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> {
  const { pageSize } = request;
  const { lastSeekPosition, lastRecipientID } = RecipientState.parse(request.state ?? {});
  const query = {
    profile: profileOf(request),
    size: pageSize,
    sort: "id,asc",
    seekPosition: lastSeekPosition,
  };
  const answer = await client.read(
    { path: "/v2/accounts", query },
    RecipientPage,
    "a page of recipients",
  );
  const { content, seekPositionForNext } = answer;
  const found = kit.readEach(content, (value) => ({
    ...kit.parseObject(Recipient, value, "a recipient"),
    value: kit.parseObject(z.looseObject({}), value, "a recipient"),
  }));
  const fresh = found.items.filter(({ id }) => isLater(id, lastRecipientID)).toSorted(byId);
  const last = fresh.at(-1)?.id ?? lastRecipientID;
  const hasMore = content.length >= pageSize && fresh.length > 0;
  // The position zero says that there is no next page yet.
  const next = seekPositionForNext === "0" ? undefined : seekPositionForNext;
  const position = hasMore ? (next ?? last) : lastSeekPosition;
  const now = clock();
  return {
    ...found,
    items: fresh.flatMap((recipient) => toExternalAccount(recipient, now) ?? []),
    state: {
      ...kit.given({ lastSeekPosition: position }),
      lastRecipientID: last,
    },
    hasMore,
  };
}

interface FoundRecipient extends z.output<typeof Recipient> {
  readonly value: Readonly<Record<string, unknown>>;
}

/** The members of a recipient that are stored: neither bank details, nor texts that may contain account numbers. */
const KEPT =
  "id creatorId profileId name currency country type legalEntityType active ownedByCustomer".split(
    " ",
  );

function toExternalAccount(
  { id, currency, name, value }: FoundRecipient,
  now: Timestamp,
): kit.ProviderAccount | undefined {
  const asset = CURRENCIES.assetOf(currency);
  if (asset === undefined) return skipCurrency("recipient", id, currency);
  const kept = KEPT.filter((member) => member in value);
  return {
    reference: id,
    createdAt: now,
    ...kit.given({ name: name?.fullName }),
    defaultAsset: asset,
    metadata: {},
    raw: stringifyJson(Object.fromEntries(kept.map((member) => [member, value[member]]))),
  };
}
