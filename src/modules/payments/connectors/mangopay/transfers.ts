import { z } from "zod";
import { CURRENCIES, type MangopayClient } from "./client.ts";
import { toPayment } from "./payments.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

export type MangopayMoney = kit.ClientWith<MangopayClient, "clock">;

/**
 * Moves money between two wallets, once for each reference. Throws `ConnectorError` (`invalid`) before any request for an order without a
 * UUID as reference, or whose source account has no `userID` in its metadata.
 */
export async function createTransfer(
  money: MangopayMoney,
  movement: kit.Movement,
): Promise<kit.MovementResult> {
  const order = orderOf(movement);
  const json = { ...fieldsOf(order), CreditedWalletId: order.destination.reference };
  return make(money, order, { path: "/transfers", json });
}

/** The accepted texts on the statement of a payout. */
const WIRE_REFERENCE = /^[A-Za-z0-9]{0,12}$/;

/** Moves money from a wallet to a bank account, like `createTransfer`. The description is the text on the statement, or empty. */
export async function createPayout(
  money: MangopayMoney,
  movement: kit.Movement,
): Promise<kit.MovementResult> {
  const order = orderOf(movement);
  const { description, destination } = order;
  if (!WIRE_REFERENCE.test(description)) {
    throw kit.refused("the description of a payout has at most 12 letters and digits");
  }
  const json = {
    ...fieldsOf(order),
    BankAccountId: destination.reference,
    BankWireRef: description === "" ? undefined : description,
  };
  return make(money, order, { path: "/payouts/bankwire", json });
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function orderOf(movement: kit.Movement): kit.CompleteMovement {
  const order = kit.requireComplete(movement);
  if (UUID.test(order.reference)) return order;
  throw kit.refused("the reference has to be a UUID in transfer/payout request");
}

function fieldsOf(order: kit.CompleteMovement): object {
  const author = order.source.metadata["userID"];
  if (author === undefined || author === "") {
    throw kit.refused("source account metadata with userID is required in transfer/payout request");
  }
  const { units, currency } = CURRENCIES.toUnits(order);
  return {
    AuthorId: author,
    DebitedFunds: { Currency: currency, Amount: units },
    Fees: { Currency: currency, Amount: 0 },
    DebitedWalletId: order.source.reference,
    Tag: order.reference,
  };
}

interface ApiOrder {
  readonly path: string;
  readonly json: object;
}

/** Creates a transaction, once: a transaction of an old order is looked up, because the provider may have forgotten its key. */
async function make(
  { client, clock }: MangopayMoney,
  order: kit.CompleteMovement,
  { path, json }: ApiOrder,
): Promise<kit.MovementResult> {
  const isForgotten = kit.isKeyForgotten(order, clock());
  const earlier = isForgotten ? await findEarlier(client, order) : undefined;
  const value = earlier ?? (await client.create(path, json, order.reference));
  const payment = paymentOf(value);
  // The transaction was created, although the answer is not valid.
  if (payment === undefined) {
    throw kit.outcomeUnknown("the answer to a transfer is not valid");
  }
  if (payment.asset !== order.asset) {
    throw kit.outcomeUnknown(`the provider has moved ${payment.asset}`);
  }
  const { reference: destinationReference } = order.destination;
  return { payment: { ...payment, type: order.type, destinationReference } };
}

function paymentOf(value: unknown): kit.ProviderPayment | undefined {
  try {
    return toPayment(value);
  } catch {
    return undefined; // the value is not a transaction
  }
}

const Tagged = z.object({ Tag: kit.OptionalText });
const PER_PAGE = 100;
const PAGES_MAX = 20;

/** The transaction of the same wallet with the same reference. Throws `ConnectorError` (`invalid`) if there are too many transactions to be sure. */
async function findEarlier(client: MangopayClient, order: kit.CompleteMovement): Promise<unknown> {
  const { source, reference } = order;
  const path = `/wallets/${encodeURIComponent(source.reference)}/transactions`;
  const AfterDate = kit.earliestSecond(order);
  for (let page = 1; page <= PAGES_MAX; page++) {
    const values = await client.list(path, { page, pageSize: PER_PAGE, AfterDate });
    const found = values.find(
      (value) => kit.parseObject(Tagged, value, "a transaction").Tag === reference,
    );
    if (found !== undefined || values.length < PER_PAGE) return found;
  }
  throw kit.refused(
    "it is too old to be sent now: a transaction of that time may have been made for it",
  );
}
