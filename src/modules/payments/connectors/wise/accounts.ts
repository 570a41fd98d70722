import { z } from "zod";
import { type WiseBalance, CURRENCIES, skipCurrency, type WiseClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** The name of the metadata of an account that says whose balance it is. */
export const PROFILE_ID = "profile_id";

/** The profile that a fetch is for. */
export function profileOf({ other }: Pick<kit.FetchRequest, "other">): string {
  if (other === undefined) throw kit.refused("this belongs to a profile");
  return other.reference;
}

const ProfileState = z.object({ lastProfileID: z.string().default("0") });

/** The profiles that are new. Nothing else of them is kept: they name persons. */
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

/** The balances that a profile has opened: they are its accounts. */
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

/** The first items of a list after one of them, by their ids, which grow. The provider gives such lists as a whole. */
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

/** The number that an id is. */
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
  /** Where the page begins; absent for the first one. */
  lastSeekPosition: z.string().optional(),
  /** The last recipient that is known. */
  lastRecipientID: z.string().default("0"),
});

/**
 * The recipients of a profile, by their ids. The last page is asked for again each time. A full page that brings nothing new is an answer
 * to another request, and is asked for again by the next run.
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
  // Zero says that there is no next page yet.
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

/** What is kept of a recipient: not its bank details, nor texts that may have numbers of accounts in them. */
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
    ...(name?.fullName === undefined ? {} : { name: name.fullName }),
    defaultAsset: asset,
    metadata: {},
    raw: stringifyJson(Object.fromEntries(kept.map((member) => [member, value[member]]))),
  };
}
