import { accountPath, Created, CURRENCIES, type MoneycorpClient } from "./client.ts";
import { isOpen, type OrderKind, orderPath, toOrdered } from "./orders.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Longest description and longest client reference that the provider accepts, in characters. */
const DESCRIPTION_LENGTH_MAX = 18;
const REFERENCE_LENGTH_MAX = 50;

interface Desk {
  readonly client: MoneycorpClient;
  readonly open: kit.OpenMovements;
}

interface MoneycorpOrder {
  readonly kind: OrderKind;
  readonly account: string;
  readonly attributes: object;
}

/** Moves money to another account of the login. */
export function createTransfer(desk: Desk, movement: kit.Movement): Promise<kit.MovementResult> {
  const { account, destination, decimal, currency, description, reference } = orderOf(movement);
  return make(desk, movement, {
    kind: "transfers",
    account,
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
export function createPayout(desk: Desk, movement: kit.Movement): Promise<kit.MovementResult> {
  const { account, destination, decimal, currency, description, reference } = orderOf(movement);
  return make(desk, movement, {
    kind: "payments",
    account,
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

function orderOf(movement: kit.Movement) {
  const { source, destination, description, reference } = kit.requireComplete(movement);
  kit.assertStatementText(description, DESCRIPTION_LENGTH_MAX);
  const { decimal, currency } = CURRENCIES.toDecimal(movement);
  return {
    account: source.reference,
    destination,
    // The amount is a JSON number with exactly these decimals.
    decimal: Symbol(decimal),
    currency,
    description,
    reference: clientReferenceOf(reference),
  };
}

/** The reference of a movement as the provider accepts and shows it. */
export const clientReferenceOf = (reference: string): string =>
  kit.shortReference(reference, REFERENCE_LENGTH_MAX);

async function make(
  { client, open }: Desk,
  movement: kit.Movement,
  { kind, account, attributes }: MoneycorpOrder,
): Promise<kit.MovementResult> {
  const path = `${accountPath(account)}/${kind}`;
  const value = await client.create(path, attributes, movement.reference);
  const payment = readMade(kind, value);
  if (isOpen(payment.status)) await open.add(account, orderPath(kind, payment.reference));
  return { payment };
}

/** The payment of a created order. The outcome is unknown if the answer is not valid, because the order was created. */
function readMade(kind: OrderKind, value: unknown) {
  const unknown = (cause?: unknown) =>
    kit.outcomeUnknown(`the answer about ${kind} is not valid`, cause);
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
