import { z } from "zod";
import { CURRENCIES, type Identifier, identifierOf, keptIdentifierOf } from "./accounts.ts";
import type { BankingCircleClient } from "./client.ts";
import { PAYMENTS_PATH, toPayment } from "./payments.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type {
  Movement,
  MovementResult,
  PluginStore,
  StoredAccount,
} from "#modules/payments/connectors/contract.ts";
import { parseObject, Text } from "#modules/payments/connectors/kit/objects.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import { formatTimestamp } from "#platform/time.ts";

export interface BankingCircleMoney {
  readonly client: BankingCircleClient;
  readonly store: PluginStore;
}

/** A movement whose accounts are there. */
interface Order extends Movement {
  readonly source: StoredAccount;
  readonly destination: StoredAccount;
}

/** Moves money between two accounts at the bank. */
export async function createTransfer(
  { client }: BankingCircleMoney,
  movement: Movement,
): Promise<MovementResult> {
  const order = orderOf(movement);
  const creditor = await identifierOf(client, order.destination.reference);
  return make(client, order, { creditor, creditorName: order.destination.name });
}

/** Moves money to a bank account that was forwarded. */
export async function createPayout(
  { client, store }: BankingCircleMoney,
  movement: Movement,
): Promise<MovementResult> {
  const order = orderOf(movement);
  const { name } = order.destination;
  if (name === undefined || name === "") {
    throw refused("destination account name is required in payout request");
  }
  const creditor = await keptIdentifierOf(store, order.destination);
  return make(client, order, { creditor, creditorName: name });
}

function orderOf(movement: Movement): Order {
  const { source, destination, amount } = movement;
  const request = "in transfer/payout request";
  if (source === undefined) throw refused(`source account is required ${request}`);
  if (destination === undefined) throw refused(`destination account is required ${request}`);
  if (amount <= 0n) throw refused("amount must be positive");
  CURRENCIES.toDecimal(movement);
  return { ...movement, source, destination };
}

/** The bank makes one payment for each idempotency key. It is read, as the answer has little of it. */
async function make(
  client: BankingCircleClient,
  order: Order,
  { creditor, creditorName }: { creditor: Identifier; creditorName: string | undefined },
): Promise<MovementResult> {
  const { decimal, currency } = CURRENCIES.toDecimal(order);
  const json = {
    idempotencyKey: order.reference,
    requestedExecutionDate: formatTimestamp(order.createdAt),
    debtorAccount: await identifierOf(client, order.source.reference),
    debtorReference: order.description === "" ? undefined : order.description,
    currencyOfTransfer: currency,
    // A number with exactly these decimals.
    amount: { currency, amount: Symbol(decimal) },
    chargeBearer: "SHA",
    creditorAccount: creditor,
    creditorName,
  };
  const answer = await client.create(PAYMENTS_PATH, json);
  const payment = await afterwards(() => readMade(client, answer));
  if (payment.asset !== order.asset) {
    throw new ConnectorError("unknown", `the provider has moved ${payment.asset}`);
  }
  const [source, destination] = [order.source.reference, order.destination.reference];
  const ends = { sourceReference: source, destinationReference: destination };
  return { payment: { ...payment, type: order.type, ...ends } };
}

const Made = z.object({ paymentId: Text });

async function readMade(client: BankingCircleClient, answer: unknown): Promise<ProviderPayment> {
  const { paymentId } = parseObject(Made, answer, "the answer to a payment");
  const path = `${PAYMENTS_PATH}/${encodeURIComponent(paymentId)}`;
  const payment = toPayment(await client.read(path, z.unknown(), "a payment"));
  if (payment !== undefined) return payment;
  throw new ConnectorError("unknown", "the answer to a payment has an unknown currency");
}

/** The bank has taken the payment: what goes wrong then is no refusal of it. */
async function afterwards<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConnectorError) || error.kind !== "invalid") throw error;
    throw new ConnectorError("unknown", error.message, { cause: error });
  }
}

const refused = (why: string): ConnectorError => new ConnectorError("invalid", why);
