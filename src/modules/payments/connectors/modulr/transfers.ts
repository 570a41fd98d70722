import { CURRENCIES, type ModulrClient } from "./client.ts";
import { isOpen, ModulrOrder, toOrdered } from "./orders.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Longest description that the provider accepts, in characters. */
const DESCRIPTION_LENGTH_MAX = 18;
/** Longest external reference that the provider accepts, in characters. */
const REFERENCE_LENGTH_MAX = 50;

/** Creates a payment to another account of the same customer, or to a beneficiary. */
export async function createMovement(
  { client, open }: { readonly client: ModulrClient; readonly open: kit.OpenMovements },
  movement: kit.Movement,
): Promise<kit.MovementResult> {
  const { reference, source } = movement;
  const value = await client.createPayment(bodyOf(movement), reference);
  const { data: order } = ModulrOrder.safeParse(value);
  const payment = order && toOrdered(order, value);
  // The payment was created, although the answer is not valid.
  if (payment === undefined || payment.asset !== CURRENCIES.assetOf(currencyOf(movement))) {
    throw kit.outcomeUnknown("the answer to a payment is not valid");
  }
  if (source !== undefined && isOpen(payment.status)) {
    await open.add(source.reference, payment.reference);
  }
  return { payment: { ...payment, type: movement.type } };
}

const currencyOf = (movement: kit.Movement): string => CURRENCIES.toDecimal(movement).currency;

function bodyOf(movement: kit.Movement): object {
  const { type, source, destination, description, reference } = kit.requireComplete(movement);
  kit.assertStatementText(description, DESCRIPTION_LENGTH_MAX);
  const { decimal, currency } = CURRENCIES.toDecimal(movement);
  return {
    sourceAccountId: source.reference,
    destination: {
      type: type === "TRANSFER" ? "ACCOUNT" : "BENEFICIARY",
      id: destination.reference,
    },
    currency,
    // The amount is a JSON number with exactly these decimals.
    amount: Symbol(decimal),
    reference: description,
    externalReference: externalReferenceOf(reference),
  };
}

/** The reference of a movement as the provider accepts and shows it. */
export const externalReferenceOf = (reference: string): string =>
  kit.shortReference(reference, REFERENCE_LENGTH_MAX);
