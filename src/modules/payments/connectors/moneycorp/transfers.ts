import { accountPath, Created, CURRENCIES, type MoneycorpClient } from "./client.ts";
import { isOpen, type OrderKind, orderPath, toOrdered } from "./orders.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type {
  Movement,
  MovementResult,
  StoredAccount,
} from "#modules/payments/connectors/contract.ts";
import type { OpenMovements } from "#modules/payments/connectors/kit/open-movements.ts";
import {
  assertStatementText,
  shortReference,
} from "#modules/payments/connectors/kit/references.ts";

/** Longest description, and longest reference of its clients, that the provider takes, in characters. */
const DESCRIPTION_LENGTH_MAX = 18;
const REFERENCE_LENGTH_MAX = 50;

interface Desk {
  readonly client: MoneycorpClient;
  readonly open: OpenMovements;
}

/** Moves money to another account of the login. */
export function createTransfer(desk: Desk, movement: Movement): Promise<MovementResult> {
  const { destination, decimal, currency, description, reference } = orderOf(movement);
  return make(desk, movement, {
    kind: "transfers",
    attributes: {
      receivingAccountId: destination.reference,
      transferAmount: decimal,
      transferCurrency: currency,
      transferReference: description,
      clientReference: reference,
    },
  });
}

/** Pays a recipient of the account. */
export function createPayout(desk: Desk, movement: Movement): Promise<MovementResult> {
  const { destination, decimal, currency, description, reference } = orderOf(movement);
  return make(desk, movement, {
    kind: "payments",
    attributes: {
      recipientId: destination.reference,
      paymentAmount: decimal,
      paymentCurrency: currency,
      paymentMethod: "Standard",
      paymentReference: description,
      clientReference: reference,
    },
  });
}

function orderOf(movement: Movement) {
  const { destination, description, amount, reference } = movement;
  const request = "in transfer/payout request";
  sourceOf(movement);
  if (destination === undefined) throw refused(`destination account is required ${request}`);
  if (amount <= 0n) throw refused("amount must be positive");
  assertStatementText(description, DESCRIPTION_LENGTH_MAX);
  const { decimal, currency } = CURRENCIES.toDecimal(movement);
  return {
    destination,
    // A number with exactly these decimals.
    decimal: Symbol(decimal),
    currency,
    description,
    reference: clientReferenceOf(reference),
  };
}

/** The reference of a movement as the provider takes and shows it. */
export const clientReferenceOf = (reference: string): string =>
  shortReference(reference, REFERENCE_LENGTH_MAX);

function sourceOf({ source }: Movement): StoredAccount {
  if (source !== undefined) return source;
  throw refused("source account is required in transfer/payout request");
}

async function make(
  { client, open }: Desk,
  movement: Movement,
  { kind, attributes }: { readonly kind: OrderKind; readonly attributes: object },
): Promise<MovementResult> {
  const account = sourceOf(movement).reference;
  const path = `${accountPath(account)}/${kind}`;
  const value = await client.create(path, attributes, movement.reference);
  const payment = readMade(kind, value);
  if (isOpen(payment.status)) await open.add(account, orderPath(kind, payment.reference));
  return { payment };
}

/** It was made, whatever is wrong with the answer. */
function readMade(kind: OrderKind, value: unknown) {
  const unknown = (cause?: unknown) =>
    new ConnectorError("unknown", `the answer about ${kind} is not valid`, { cause });
  const { data: made } = Created.safeParse(value);
  if (made === undefined) throw unknown();
  try {
    const payment = toOrdered(kind, made.data);
    if (payment !== undefined) return payment;
  } catch (error) {
    throw unknown(error);
  }
  throw unknown();
}

const refused = (why: string): ConnectorError => new ConnectorError("invalid", why);
