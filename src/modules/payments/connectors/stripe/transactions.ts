import { z } from "zod";
import type { StripeClient, StripeObject } from "./client.ts";
import { toPayment } from "./payments.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The objects that are expanded in a balance transaction: its source, and the objects that the source belongs to. */
const EXPANDED = [
  "source",
  "source.charge",
  "source.dispute",
  "source.payout",
  "source.refund",
  "source.transfer",
  "source.payment_intent",
  "source.refund.payment_intent",
];

/**
 * How far the balance transactions of an account were read. The first walk leads to the oldest transaction and gives no payments before, so
 * that refunds come after the payments that they refund. Afterwards, pages have transactions that are newer than the latest one, the oldest
 * first.
 */
const State = z.object({
  /** The oldest transaction that the walk has reached. */
  cursor: z.string().optional(),
  /** The newest transaction whose payment was given; absent during the walk. */
  latest: z.string().optional(),
  /** The transactions of payouts that were pending when they were last read, the next one to read first. */
  open: z.array(z.string()).default([]),
});
type State = z.output<typeof State>;

/** Most pending payouts that are remembered, and that are read again at the end of one run. */
const OPEN_MAX = 500;
const ASKED_MAX = 10;

/** One page of the payments of an account. */
export async function fetchPayments(
  client: StripeClient,
  { parent, state: stored, pageSize: limit }: kit.FetchRequest,
): Promise<kit.PaymentPage> {
  const { reference: account } = kit.requireAccount(parent, "payments");
  const state = State.parse(stored ?? {});
  const { latest, cursor } = state;
  const place = latest === undefined ? { after: cursor } : { before: latest };
  const listed = await client.list({
    path: "/balance_transactions",
    account,
    query: { "expand[]": EXPANDED.map((path) => `data.${path}`) },
    place: toPlace(place),
    limit,
  });
  const { items, hasMore } = listed;
  const last = items.at(-1);
  if (latest === undefined && hasMore && last !== undefined) {
    return { items: [], state: { ...state, cursor: last.id }, hasMore: true };
  }
  const oldestFirst = items.toReversed();
  const oldest = { ...listed, items: oldestFirst, state };
  const page = kit.readPage(oldest, ({ value }) => toPayment(value, account));
  const payments = page.items;
  const next = { latest: oldestFirst.at(-1)?.id ?? latest, open: remember(state.open, payments) };
  // When the walk has reached the oldest page, its payments are given, and the newer pages follow.
  const isWalked = latest === undefined && cursor !== undefined;
  if (next.latest !== undefined && (hasMore || isWalked)) {
    return { ...page, state: next, hasMore: true };
  }
  const { arrived, open } = await askAgain(client, { account, open: next.open });
  return { ...page, items: [...payments, ...arrived], state: { ...next, open }, hasMore: false };
}

/** The place of a page; without a neighbour, the page begins at the newest object. */
const toPlace = (place: { readonly after: string | undefined } | { readonly before: string }) => {
  if ("before" in place) return place;
  return place.after === undefined ? {} : { after: place.after };
};

const isOpen = ({ type, status }: kit.ProviderPayment): boolean =>
  type === "PAYOUT" && status === "PENDING";

const remember = (open: readonly string[], payments: readonly kit.ProviderPayment[]): string[] =>
  [...open, ...payments.filter(isOpen).map(({ reference }) => reference)].slice(-OPEN_MAX);

/** Reads some pending payouts again, because a payout that arrives creates no new balance transaction. */
async function askAgain(
  client: StripeClient,
  { account, open }: { readonly account: string; readonly open: readonly string[] },
): Promise<{ readonly arrived: kit.ProviderPayment[]; readonly open: string[] }> {
  const asked = open.slice(0, ASKED_MAX);
  const read: kit.ProviderPayment[] = [];
  for (const id of asked) read.push(...(await readPayment(client, { account, id })));
  const still = read.filter(isOpen).map(({ reference }) => reference);
  return {
    arrived: read.filter((payment) => !isOpen(payment)),
    open: [...open.slice(ASKED_MAX), ...still],
  };
}

/** The present payment of a balance transaction; empty if there is no such transaction. */
export async function readPayment(
  client: StripeClient,
  { account, id }: { readonly account: string; readonly id: string },
): Promise<kit.ProviderPayment[]> {
  const found: StripeObject | undefined = await client.find(
    {
      path: `/balance_transactions/${encodeURIComponent(id)}`,
      account,
      query: { "expand[]": EXPANDED },
    },
    "a balance transaction",
  );
  const payment = found === undefined ? undefined : toPayment(found.value, account);
  return payment === undefined ? [] : [payment];
}
