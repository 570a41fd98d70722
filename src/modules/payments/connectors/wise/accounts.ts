import { z } from "zod";
import { type WiseBalance, CURRENCIES, noteCurrency, type WiseClient } from "./client.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import { readEach, readPage } from "#modules/payments/connectors/kit/items.ts";
import {
  Date3339,
  Id,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";
import type { ParentItem } from "#modules/payments/connectors/webhook-contract.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Clock, Timestamp } from "#platform/time.ts";

/** The name of the metadata of an account that says whose balance it is. */
export const PROFILE_ID = "profile_id";

/** The profile that a fetch is for. */
export function profileOf({ other }: Pick<FetchRequest, "other">): string {
  if (other === undefined) throw new ConnectorError("invalid", "this belongs to a profile");
  return other.reference;
}

const ProfileState = z.object({ lastProfileID: z.string().default("0") });

/** The profiles that are new. Nothing else of them is kept: they name persons. */
export async function fetchProfiles(
  client: WiseClient,
  request: FetchRequest,
): Promise<FetchPage<ParentItem>> {
  const { lastProfileID } = ProfileState.parse(request.state ?? {});
  const { page, last, hasMore } = pageAfter(await client.listProfiles(), lastProfileID, request);
  const items = page.map(({ id, type }) => ({ reference: id, raw: stringifyJson({ id, type }) }));
  return { items, state: { lastProfileID: last }, hasMore };
}

const AccountState = z.object({ lastAccountID: z.string().default("0") });

/** The balances that a profile has opened: they are its accounts. */
export async function fetchAccounts(
  client: WiseClient,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> {
  const { lastAccountID } = AccountState.parse(request.state ?? {});
  const profile = profileOf(request);
  const { items: balances, rejected } = await client.readBalances(profile);
  const { page, last, hasMore } = pageAfter(balances, lastAccountID, request);
  const listed = { items: page, rejected, state: { lastAccountID: last }, hasMore };
  return readPage(listed, (balance) => toAccount(balance, profile));
}

/** The first items of a list after one of them, by their ids, which grow. The provider gives such lists as a whole. */
function pageAfter<Item extends { readonly id: string }>(
  items: readonly Item[],
  last: string,
  { pageSize }: FetchRequest,
): { readonly page: Item[]; readonly last: string; readonly hasMore: boolean } {
  const later = items.filter(({ id }) => isLater(id, last)).toSorted(byId);
  const page = later.slice(0, pageSize);
  return { page, last: page.at(-1)?.id ?? last, hasMore: later.length > page.length };
}

const DIGITS = /^\d{1,30}$/;

/** The number that an id is. */
export function numberOf(id: string): bigint {
  if (DIGITS.test(id)) return BigInt(id);
  throw new ConnectorError("invalid", `the id ${id} of the provider is no number`);
}

export const isLater = (id: string, last: string): boolean => numberOf(id) > numberOf(last);

const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  isLater(a.id, b.id) ? 1 : -1;

const Account = z.object({ creationTime: Date3339, name: OptionalText });

function toAccount(
  { id, currency, value }: WiseBalance,
  profile: string,
): ProviderAccount | undefined {
  const { creationTime, name } = parseObject(Account, value, "a balance");
  const asset = CURRENCIES.assetOf(currency);
  if (asset === undefined) return leftOut("balance", id, currency);
  return {
    reference: id,
    createdAt: creationTime,
    ...(name === undefined ? {} : { name }),
    defaultAsset: asset,
    metadata: { [PROFILE_ID]: profile },
    raw: stringifyJson(value),
  };
}

const Recipient = z.object({
  id: Id,
  currency: Text,
  name: z.object({ fullName: OptionalText }).nullish(),
});

const RecipientPage = z.object({
  content: z.array(z.unknown()),
  seekPositionForNext: Id.nullish(),
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
  { client, clock }: { readonly client: WiseClient; readonly clock: Clock },
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> {
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
  const found = readEach(content, (value) => ({
    ...parseObject(Recipient, value, "a recipient"),
    value: parseObject(z.looseObject({}), value, "a recipient"),
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
      ...(position === undefined ? {} : { lastSeekPosition: position }),
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
): ProviderAccount | undefined {
  const asset = CURRENCIES.assetOf(currency);
  if (asset === undefined) return leftOut("recipient", id, currency);
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

function leftOut(what: string, id: string, currency: string): undefined {
  noteCurrency(what, id, currency);
}
