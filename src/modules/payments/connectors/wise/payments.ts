import { z } from "zod";
import { profileOf } from "./accounts.ts";
import { amountOf, type WiseClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** The statuses of transfers; all others are `OTHER`. */
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

/** A time such as `2026-03-01 09:30:00` in UTC, or a time as RFC 3339. */
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

/** The type of a transfer, and the accounts at its ends. */
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
  // Recipients that belong to the profile itself are third parties that the profile has entered.
  if (owner === undefined || owner === profile) return undefined;
  return (await client.isOwnProfile(owner)) ? owner : undefined;
}

/** The payment of a transfer; undefined for an unsupported currency. */
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

/** The payment of a transfer, whose ends are read from the provider; undefined for an unsupported currency. */
export async function readPayment(
  client: WiseClient,
  { profile, value, createdAt }: { profile: string; value: unknown; createdAt?: Timestamp },
): Promise<kit.ProviderPayment | undefined> {
  const transfer = kit.parseObject(WiseTransfer, value, "a transfer");
  return toPayment(value, await endsOf(client, { profile, transfer }), createdAt);
}

const State = z.object({
  /** The number of transfers on the full pages that were read. */
  offset: z.int().default(0),
  /** The ids of the transfers of the last page. */
  known: z.array(z.string()).default([]),
  /** Whether the last page had no new transfers although it was full, and is requested again. */
  isRepeated: z.boolean().default(false),
  /** The transfers that may still change, by their ids, with their last known status. */
  open: z.record(z.string(), z.string()).default({}),
  /** The open transfers that this run has still to check. */
  unchecked: z.array(z.string()).default([]),
});
type State = z.output<typeof State>;

/** Most open transfers that are checked. Webhooks report changes of further transfers. */
const OPEN_MAX = 1000;
/** Most transfers that are checked in one page. Each check takes a request. */
const CHECKS_MAX = 10;

type Reader = kit.ClientWith<WiseClient, "clock">;

/**
 * The transfers of a profile: first the new ones, page by page, then the open ones that have changed. Webhooks report changes earlier;
 * polling finds changes whose deliveries were lost.
 */
export function fetchPayments(reader: Reader, request: kit.FetchRequest): Promise<kit.PaymentPage> {
  const state = State.parse(request.state ?? {});
  return state.unchecked.length > 0
    ? checkOpen(reader, request, state)
    : listNew(reader, request, state);
}

/** Reads the last page of transfers, again in each run until the page is full. */
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
  // A full page without new transfers may be the answer to another request, and is requested once more.
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

/** Whether a transfer with a status may still change. */
const mayChange = (status: string): boolean => ["PENDING", "OTHER"].includes(statusOf(status));

/** Checks some open transfers. The time of a new state is now, because the provider gives none. */
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
