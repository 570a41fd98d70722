import { z } from "zod";
import { CURRENCIES, type Identifier, identifierOf, keptIdentifierOf } from "./accounts.ts";
import type { BankingCircleClient } from "./client.ts";
import { PAYMENTS_PATH, toPayment } from "./payments.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { formatTimestamp } from "#platform/time.ts";

export type BankingCircleMoney = kit.ClientWith<BankingCircleClient, "store">;

/** Moves money between two accounts at the bank. */
export async function createTransfer(
  { client }: BankingCircleMoney,
  movement: kit.Movement,
): Promise<kit.MovementResult> {
  const order = orderOf(movement);
  const creditor = await identifierOf(client, order.destination.reference);
  return make(client, order, { creditor, creditorName: order.destination.name });
}

/** Moves money to a bank account that was forwarded to this connector. */
export async function createPayout(
  { client, store }: BankingCircleMoney,
  movement: kit.Movement,
): Promise<kit.MovementResult> {
  const order = orderOf(movement);
  const { name } = order.destination;
  if (name === undefined || name === "") {
    throw kit.refused("destination account name is required in payout request");
  }
  const creditor = await keptIdentifierOf(store, order.destination);
  return make(client, order, { creditor, creditorName: name });
}

function orderOf(movement: kit.Movement): kit.CompleteMovement {
  const order = kit.requireComplete(movement);
  CURRENCIES.toDecimal(order);
  return order;
}

/**
 * Orders a payment: the bank makes one for each idempotency key. The payment is read afterwards, because the answer contains little more
 * than its id.
 */
async function make(
  client: BankingCircleClient,
  order: kit.CompleteMovement,
  { creditor, creditorName }: { creditor: Identifier; creditorName: string | undefined },
): Promise<kit.MovementResult> {
  const { decimal, currency } = CURRENCIES.toDecimal(order);
  const json = {
    idempotencyKey: order.reference,
    requestedExecutionDate: formatTimestamp(order.createdAt),
    debtorAccount: await identifierOf(client, order.source.reference),
    debtorReference: order.description === "" ? undefined : order.description,
    currencyOfTransfer: currency,
    // The amount is a JSON number with exactly these decimals.
    amount: { currency, amount: Symbol(decimal) },
    chargeBearer: "SHA",
    creditorAccount: creditor,
    creditorName,
  };
  const answer = await client.create(PAYMENTS_PATH, json);
  const payment = await afterwards(() => readMade(client, answer));
  if (payment.asset !== order.asset) {
    throw kit.outcomeUnknown(`the provider has moved ${payment.asset}`);
  }
  return { payment: { ...payment, type: order.type, ...kit.endsOf(order) } };
}

const Made = z.object({ paymentId: kit.Text });

async function readMade(
  client: BankingCircleClient,
  answer: unknown,
): Promise<kit.ProviderPayment> {
  const { paymentId } = kit.parseObject(Made, answer, "the answer to a payment");
  const path = `${PAYMENTS_PATH}/${encodeURIComponent(paymentId)}`;
  const payment = toPayment(await client.read({ path }, z.unknown(), "a payment"));
  if (payment !== undefined) return payment;
  throw kit.outcomeUnknown("the answer to a payment has an unknown currency");
}

/** Turns refusals into unknown outcomes, because the bank has already accepted the payment. */
async function afterwards<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof kit.ConnectorError) || error.kind !== "invalid") throw error;
    throw kit.outcomeUnknown(error.message, error);
  }
}
