import { z } from "zod";
import { profileOf } from "./accounts.ts";
import { amountOf, type WiseClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** The statuses of transfers. */
export const STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
  incoming_payment_waiting: "PENDING",
  incoming_payment_initiated: "PENDING",
  processing: "PENDING",
  funds_converted: "PENDING",
  bounced_back: "PENDING",
  outgoing_payment_sent: "SUCCEEDED",
  funds_refunded: "FAILED",
  charged_back: "FAILED",
  cancelled: "CANCELLED",
};

const statusOf = (status: string): kit.PaymentStatus => kit.rowOf(STATUSES, status) ?? "OTHER";

/** `2026-03-01 09:30:00` in UTC, or RFC 3339. */
const WiseTime = z
  .string()
  .transform((text) => (SPACED.test(text) ? `${text.replace(" ", "T")}Z` : text))
  .pipe(kit.Date3339);
const SPACED = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

export const WiseTransfer = z.looseObject({
  id: kit.Id,
  targetAccount: kit.Id.nullish(),
  status: z.string(),
  created: WiseTime,
  sourceCurrency: kit.Text,
  targetCurrency: kit.Text,
  targetValue: kit.DecimalText,
  customerTransactionId: kit.OptionalText,
});
export type WiseTransfer = z.output<typeof WiseTransfer>;

/** Where the money of a transfer comes from and goes to. */
export interface Ends {
  readonly type: "TRANSFER" | "PAYOUT";
  readonly sourceReference?: string;
  readonly destinationReference?: string;
}

/**
 * The ends of a transfer of a profile, which are the same whoever asks, so that one transfer is one payment:
 *
 * | Target | Type | Destination |
 * | --- | --- | --- |
 * | a profile of ours, or a recipient that belongs to another profile of ours | TRANSFER | its balance in the target currency |
 * | any other recipient, or one that was deleted | PAYOUT | the recipient |
 *
 * The source is the balance of the profile in the source currency.
 */
export async function endsOf(
  client: WiseClient,
  { profile, transfer }: { readonly profile: string; readonly transfer: WiseTransfer },
): Promise<Ends> {
  const { sourceCurrency, targetCurrency, targetAccount } = transfer;
  const source = await client.findBalance(profile, sourceCurrency);
  const from = source === undefined ? {} : { sourceReference: source };
  if (targetAccount === undefined || targetAccount === null) return { type: "PAYOUT", ...from };
  const owner = await ownProfileOf(client, profile, targetAccount);
  if (owner === undefined) return { type: "PAYOUT", ...from, destinationReference: targetAccount };
  const balance = await client.findBalance(owner, targetCurrency);
  return {
    type: "TRANSFER",
    ...from,
    ...kit.given({ destinationReference: balance }),
  };
}

async function ownProfileOf(
  client: WiseClient,
  profile: string,
  targetAccount: string,
): Promise<string | undefined> {
  if (await client.isOwnProfile(targetAccount)) return targetAccount;
  const owner = await client.findOwner(targetAccount);
  // The recipients of the profile itself are others, whom it has entered.
  if (owner === undefined || owner === profile) return undefined;
  return (await client.isOwnProfile(owner)) ? owner : undefined;
}

/** The payment that a transfer is; undefined for one in a currency that is not supported. */
export function toPayment(
  value: unknown,
  ends: Ends,
  createdAt?: Timestamp,
): kit.ProviderPayment | undefined {
  const transfer = kit.parseObject(WiseTransfer, value, "a transfer");
  const { id, status, created, targetValue, targetCurrency, customerTransactionId } = transfer;
  const sent = { value: targetValue, currency: targetCurrency };
  const amount = amountOf(sent, { what: "transfer", id });
  if (amount === undefined) return undefined;
  return {
    reference: id,
    createdAt: createdAt ?? created,
    ...ends,
    ...amount,
    scheme: "OTHER",
    status: statusOf(status),
    ...(customerTransactionId === undefined
      ? {}
      : { initiationReference: customerTransactionId.toLowerCase() }),
    metadata: {},
    raw: stringifyJson(value),
  };
}

/** The same, with its ends asked for. */
export async function readPayment(
  client: WiseClient,
  { profile, value, createdAt }: { profile: string; value: unknown; createdAt?: Timestamp },
): Promise<kit.ProviderPayment | undefined> {
  const transfer = kit.parseObject(WiseTransfer, value, "a transfer");
  return toPayment(value, await endsOf(client, { profile, transfer }), createdAt);
}

const State = z.object({
  /** How many transfers are on full pages that were read. */
  offset: z.int().default(0),
  /** The transfers of the last page. */
  known: z.array(z.string()).default([]),
  /** Whether the last page has come in place of another one. */
  isRepeated: z.boolean().default(false),
  /** The transfers that may still change, with their last status. */
  open: z.record(z.string(), z.string()).default({}),
  /** Those of them that this run still asks for. */
  unchecked: z.array(z.string()).default([]),
});
type State = z.output<typeof State>;

/** Most transfers that are asked for again; of further ones, webhooks tell. */
const OPEN_MAX = 1000;
/** How many of them are asked for in one page: each takes a request. */
const CHECKS_MAX = 10;

type Reader = kit.ClientWith<WiseClient, "clock">;

/**
 * The transfers of a profile: new ones page by page, then what has become of those that had not ended. A webhook tells of that sooner; one
 * that was lost is made up for here.
 */
export function fetchPayments(reader: Reader, request: kit.FetchRequest): Promise<kit.PaymentPage> {
  const state = State.parse(request.state ?? {});
  return state.unchecked.length > 0
    ? checkOpen(reader, request, state)
    : listNew(reader, request, state);
}

/** The last page is asked for again each time, until it is full. */
async function listNew(
  { client }: Reader,
  request: kit.FetchRequest,
  state: State,
): Promise<kit.PaymentPage> {
  const profile = profileOf(request);
  const { pageSize: limit } = request;
  const query = { profile, limit, offset: state.offset };
  const listed = await client.read(
    { path: "/v1/transfers", query },
    WiseTransfers,
    "a page of transfers",
  );
  const found = kit.readEach(listed, (value) => ({
    value,
    ...kit.parseObject(WiseTransfer, value, "a transfer"),
  }));
  const transfers = found.items;
  const fresh = transfers.filter(({ id }) => !state.known.includes(id));
  const isFull = listed.length >= limit;
  // A full page that is the one before is an answer to another request, unless it comes so again.
  if (isFull && fresh.length === 0 && !state.isRepeated) {
    return { items: [], state: { ...state, isRepeated: true }, hasMore: false };
  }
  const page = await kit.readPageAsync(
    { ...found, items: fresh, state, hasMore: isFull },
    ({ value }) => readPayment(client, { profile, value }),
  );
  const open = fresh
    .filter(({ status }) => mayChange(status))
    .map(({ id, status }): [string, string] => [id, status]);
  const unchecked = isFull ? [] : Object.keys(state.open);
  const next: State = {
    offset: isFull ? state.offset + listed.length : state.offset,
    known: transfers.map(({ id }) => id),
    isRepeated: false,
    open: Object.fromEntries([...Object.entries(state.open), ...open].slice(-OPEN_MAX)),
    unchecked,
  };
  return { ...page, state: next, hasMore: isFull || unchecked.length > 0 };
}

const WiseTransfers = z.array(z.unknown());

/** What is no end. */
const mayChange = (status: string): boolean => ["PENDING", "OTHER"].includes(statusOf(status));

/** A state that has come since has no time of its own: it is of now. */
async function checkOpen(
  { client, clock }: Reader,
  request: kit.FetchRequest,
  state: State,
): Promise<kit.PaymentPage> {
  const profile = profileOf(request);
  const open = new Map(Object.entries(state.open));
  const items: kit.ProviderPayment[] = [];
  for (const id of state.unchecked.slice(0, CHECKS_MAX)) {
    const path = `/v1/transfers/${encodeURIComponent(id)}`;
    const value = await client.find({ path }, z.unknown(), "a transfer");
    const transfer =
      value === undefined ? undefined : kit.parseObject(WiseTransfer, value, "a transfer");
    const before = open.get(id) ?? "";
    if (transfer === undefined || !mayChange(transfer.status)) open.delete(id);
    else open.set(id, transfer.status);
    if (transfer === undefined || statusOf(transfer.status) === statusOf(before)) continue;
    const payment = await readPayment(client, { profile, value, createdAt: clock() });
    if (payment !== undefined) items.push(payment);
  }
  const unchecked = state.unchecked.slice(CHECKS_MAX);
  return {
    items,
    state: { ...state, open: Object.fromEntries(open), unchecked },
    hasMore: unchecked.length > 0,
  };
}
