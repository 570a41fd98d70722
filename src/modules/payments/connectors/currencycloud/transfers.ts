import { z } from "zod";
import {
  CURRENCIES,
  type Creation,
  type CurrencycloudClient,
  REQUEST_ID,
  requestIdOf,
} from "./client.ts";
import { statusOf } from "./payments.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Moves money between two accounts of the login. */
export function createTransfer(
  client: CurrencycloudClient,
  movement: kit.Movement,
): Promise<kit.MovementResult> {
  const { source, destination } = partiesOf(movement);
  return make(client, movement, {
    what: "transfers",
    form: { source_account_id: source, destination_account_id: destination, ...common(movement) },
  });
}

/** Pays a beneficiary from the balance of the login's own account, because the request names no other account. */
export function createPayout(
  client: CurrencycloudClient,
  movement: kit.Movement,
): Promise<kit.MovementResult> {
  const { destination } = partiesOf(movement);
  const { description } = movement;
  return make(client, movement, {
    what: "payments",
    form: {
      beneficiary_id: destination,
      ...common(movement),
      payment_type: "regular",
      reference: description === "" ? undefined : description,
    },
  });
}

interface CurrencycloudOrder {
  readonly what: Creation;
  readonly form: NonNullable<kit.ApiCall["form"]>;
}

function partiesOf(movement: kit.Movement) {
  const { source, destination } = kit.requireComplete(movement);
  return { source: source.reference, destination: destination.reference };
}

function common(movement: kit.Movement) {
  const { decimal, currency } = CURRENCIES.toDecimal(movement);
  const { description, reference } = movement;
  return {
    currency,
    amount: decimal,
    reason: description === "" ? undefined : description,
    [REQUEST_ID]: reference,
  };
}

const Made = z.object({
  id: kit.Text,
  currency: kit.Text,
  amount: kit.DecimalText,
  status: z.string(),
  created_at: kit.Date3339,
});

async function make(
  client: CurrencycloudClient,
  movement: kit.Movement,
  { what, form }: CurrencycloudOrder,
): Promise<kit.MovementResult> {
  const value = await client.create(what, form);
  const { type, asset, amount, source, destination } = movement;
  const payment = paymentOf(value, {
    type,
    ...kit.given({
      sourceReference: source?.reference,
      destinationReference: destination?.reference,
    }),
  });
  const { decimal, currency } = CURRENCIES.toDecimal({ amount, asset });
  const ordered = CURRENCIES.fromDecimal(decimal, currency);
  if (payment.amount !== ordered?.amount || payment.asset !== ordered.asset) {
    throw kit.refused(
      `the provider knows the reference from another request, ${payment.reference}`,
    );
  }
  return { payment };
}

/** Asks for a movement by the id of its request. What does not show this id may be that of any request. */
export async function findMovement(
  client: CurrencycloudClient,
  movement: kit.SoughtMovement,
): Promise<kit.FoundMovement> {
  const what = movement.type === "TRANSFER" ? "transfers" : "payments";
  const value = await client.findMade(what, movement.reference);
  if (value === undefined) return "none";
  if (requestIdOf(value) === undefined) return "unknown";
  return { payment: paymentOf(value, movement) };
}

type MovementEnds = Pick<kit.SoughtMovement, "type" | "sourceReference" | "destinationReference">;

/** The payment of an object that was made. Throws `ConnectorError` for an answer that is not valid. */
function paymentOf(
  value: unknown,
  { type, sourceReference, destinationReference }: MovementEnds,
): kit.ProviderPayment {
  const { data: made } = Made.safeParse(value);
  const moved = made && CURRENCIES.fromDecimal(made.amount, made.currency);
  // The object was created, although the answer is not valid.
  if (made === undefined || moved === undefined) {
    throw kit.outcomeUnknown(`the answer about a ${type.toLowerCase()} is not valid`);
  }
  return {
    reference: made.id,
    createdAt: made.created_at,
    type,
    ...moved,
    scheme: "OTHER",
    status: statusOf(made.status),
    ...kit.given({ sourceReference, destinationReference }),
    metadata: {},
    raw: kit.rawOf(value),
  };
}
