import { z } from "zod";
import type { StripeClient, StripeObject } from "./client.ts";
import { CURRENCIES, markOf, REFERENCE } from "./objects.ts";
import { timeOf } from "./payments.ts";
import { readPayout, readTransfer } from "./sources.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

export type StripeMoney = kit.ClientWith<StripeClient, "clock">;

/** The name of the metadata of a reversal that contains the id of the transfer. */
const TRANSFER_ID = "com.stripe.spec/transfer_id";

/** Moves money to a connected account. */
export async function createTransfer(
  money: StripeMoney,
  movement: kit.Movement,
): Promise<kit.MovementResult> {
  const account = await accountOf(money, movement);
  const { client } = money;
  const made = await make(money, {
    ...orderOf(movement),
    path: "/transfers",
    account,
    what: "a transfer",
  });
  const transfer = readTransfer(made.value);
  const { id, created } = readTransaction(made.value, "a transfer");
  const payment: kit.ProviderPayment = {
    reference: id,
    createdAt: created,
    type: "TRANSFER",
    ...amountOf(transfer),
    scheme: "OTHER",
    status: "SUCCEEDED",
    sourceReference: account ?? (await client.ownAccount()),
    ...kit.given({ destinationReference: transfer.destination }),
    metadata: transfer.metadata,
    raw: kit.rawOf(made.value),
  };
  return { payment };
}

/** Moves money to a bank account or a card of the account that it comes from. */
export async function createPayout(
  money: StripeMoney,
  movement: kit.Movement,
): Promise<kit.MovementResult> {
  const account = await accountOf(money, movement);
  const { form, ...order } = orderOf(movement);
  const made = await make(money, {
    ...order,
    path: "/payouts",
    account,
    form: { ...form, method: "standard" },
    what: "a payout",
  });
  const { scheme, status = "UNKNOWN", metadata, ...payout } = readPayout(made.value);
  const { id, created } = readTransaction(made.value, "a payout");
  const payment: kit.ProviderPayment = {
    reference: id,
    createdAt: timeOf(created, status),
    type: "PAYOUT",
    ...amountOf(payout),
    scheme,
    status,
    sourceReference: account ?? (await money.client.ownAccount()),
    metadata,
    raw: kit.rawOf(made.value),
  };
  return { payment };
}

/** Brings back a part of a transfer, or all of it. */
export async function reverseTransfer(
  money: StripeMoney,
  reversal: kit.Reversal,
): Promise<kit.ProviderPayment> {
  const transferId = reversal.metadata[TRANSFER_ID];
  if (transferId === undefined || transferId === "") {
    throw kit.refused("transfer id is required in metadata of transfer reversal request");
  }
  const account = await accountOf(money, reversal.movement);
  const { units } = CURRENCIES.toUnits(reversal);
  const made = await make(money, {
    path: `/transfers/${encodeURIComponent(transferId)}/reversals`,
    account,
    form: { amount: units, ...describe(reversal) },
    expanded: ["balance_transaction", "transfer", "transfer.balance_transaction"],
    cause: reversal,
    what: "a reversal",
  });
  const {
    amount: reversed,
    currency,
    metadata,
  } = kit.parseObject(Reversed, made.value, "a reversal");
  const { id, created } = readTransaction(made.value, "a reversal");
  const transfer = readTransfer(made.value);
  if (transfer.transaction === undefined) {
    throw kit.outcomeUnknown("a reversal of the provider comes without its transfer");
  }
  return {
    reference: id,
    parentReference: transfer.transaction,
    createdAt: created,
    type: "TRANSFER",
    ...amountOf({ amount: reversed, currency }),
    scheme: "OTHER",
    status: "REFUNDED",
    sourceReference: account ?? (await money.client.ownAccount()),
    ...kit.given({ destinationReference: transfer.destination }),
    metadata,
    raw: kit.rawOf(made.value),
  };
}

const Transaction = z.object({
  balance_transaction: z.object({ id: kit.Text, created: kit.UnixSeconds }),
});

/** The balance transaction of an object, which the request has expanded. Its id is the reference of the payment. */
const readTransaction = (value: unknown, what: string) =>
  kit.parseObject(Transaction, value, what).balance_transaction;

/** The amount of a created object. An unknown currency leaves the outcome unknown, because the provider has already moved the money. */
function amountOf({ amount: units, currency }: { amount: bigint; currency: string }) {
  const amount = CURRENCIES.fromUnits(units, currency);
  if (amount !== undefined) return amount;
  throw kit.outcomeUnknown(`the provider has moved the unknown currency ${currency}`);
}

const Reversed = z.object({ amount: kit.Amount, currency: kit.Text, metadata: kit.Metadata });

/** The account that makes a movement; undefined for the API key's own account. */
async function accountOf(
  { client }: StripeMoney,
  { source }: kit.Movement,
): Promise<string | undefined> {
  if (source === undefined || source.reference === (await client.ownAccount())) return undefined;
  return source.reference;
}

function destinationOf({ destination }: kit.Movement): kit.StoredAccount {
  if (destination !== undefined) return destination;
  throw kit.refused("destination account is required in transfer/payout request");
}

function orderOf(movement: kit.Movement) {
  const { units, currency } = CURRENCIES.toUnits(movement);
  const destination = destinationOf(movement).reference;
  return {
    form: { amount: units, currency: currency.toLowerCase(), destination, ...describe(movement) },
    expanded: ["balance_transaction"],
    cause: movement,
    filter: { destination, "created[gte]": kit.earliestSecond(movement) },
  };
}

type Described = Pick<kit.Movement, "description" | "metadata" | "reference">;

const describe = (described: Described): Readonly<Record<string, string>> => ({
  ...(described.description === "" ? {} : { description: described.description }),
  ...Object.fromEntries(
    Object.entries({ ...described.metadata, [REFERENCE]: markOf(described.reference) }).map(
      ([name, value]) => [`metadata[${name}]`, value],
    ),
  ),
});

interface Order {
  readonly path: string;
  readonly account: string | undefined;
  readonly form: Readonly<Record<string, string | bigint>>;
  /** The objects that are expanded in the created object. */
  readonly expanded: readonly string[];
  /** The movement or reversal, whose reference is the idempotency key. */
  readonly cause: Pick<kit.Movement, "reference" | "createdAt">;
  /** The filter of the list in which an earlier object is looked up. */
  readonly filter?: Readonly<Record<string, string | number>>;
  readonly what: string;
}

const PER_PAGE = 100;
const PAGES_MAX = 20;

/** Creates an object, once: the object of an old order is looked up, because the provider may have forgotten its key. */
async function make({ client, clock }: StripeMoney, order: Order): Promise<StripeObject> {
  const { path, account, expanded, cause, what } = order;
  const isForgotten = kit.isKeyForgotten(cause, clock());
  const earlier = isForgotten ? await findEarlier(client, order) : undefined;
  const form = { ...order.form, "expand[]": expanded };
  return earlier ?? client.write({ path, account, form, idempotencyKey: cause.reference }, what);
}

const Marked = z.object({ metadata: kit.Metadata });

/** The object that was created for the same reference. Throws `ConnectorError` if there are too many objects to be sure. */
async function findEarlier(
  client: StripeClient,
  { path, account, expanded, cause, filter, what }: Order,
): Promise<StripeObject | undefined> {
  const query = { ...filter, "expand[]": expanded.map((each) => `data.${each}`) };
  let after: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const place = after === undefined ? {} : { after };
    const { items, hasMore } = await client.list({ path, account, query, place, limit: PER_PAGE });
    const found = items.find(
      ({ value }) =>
        kit.parseObject(Marked, value, what).metadata[REFERENCE] === markOf(cause.reference),
    );
    if (found !== undefined) return found;
    after = items.at(-1)?.id;
    if (!hasMore || after === undefined) return undefined;
  }
  throw kit.refused(`it is too old to be sent now: ${what} of that time may have been made for it`);
}
