import { z } from "zod";
import { CURRENCIES, type Creation, type CurrencycloudClient, REQUEST_ID } from "./client.ts";
import { statusOf } from "./payments.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { Movement, MovementResult } from "#modules/payments/connectors/contract.ts";
import type { ApiCall } from "#modules/payments/connectors/kit/client.ts";
import { Date3339, DecimalText, Text } from "#modules/payments/connectors/kit/objects.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";

/** Moves money between two accounts of the login. */
export function createTransfer(
  client: CurrencycloudClient,
  movement: Movement,
): Promise<MovementResult> {
  const { source, destination } = partiesOf(movement);
  return make(client, movement, {
    what: "transfers",
    form: { source_account_id: source, destination_account_id: destination, ...common(movement) },
  });
}

/** Pays a beneficiary, from the balance of the account of the login: the provider is told no other one. */
export function createPayout(
  client: CurrencycloudClient,
  movement: Movement,
): Promise<MovementResult> {
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
  readonly form: NonNullable<ApiCall["form"]>;
}

function partiesOf({ source, destination, amount }: Movement) {
  const request = "in transfer/payout request";
  if (source === undefined) throw refused(`source account is required ${request}`);
  if (destination === undefined) throw refused(`destination account is required ${request}`);
  if (amount <= 0n) throw refused("amount must be positive");
  return { source: source.reference, destination: destination.reference };
}

function common(movement: Movement) {
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
  id: Text,
  currency: Text,
  amount: DecimalText,
  status: z.string(),
  created_at: Date3339,
});

async function make(
  client: CurrencycloudClient,
  { type, asset, amount, source, destination }: Movement,
  { what, form }: CurrencycloudOrder,
): Promise<MovementResult> {
  const value = await client.create(what, form);
  const { data: made } = Made.safeParse(value);
  const moved = made && CURRENCIES.fromDecimal(made.amount, made.currency);
  // It was made, whatever is wrong with the answer.
  if (made === undefined || moved === undefined) {
    throw new ConnectorError("unknown", `the answer about ${what} is not valid`);
  }
  const { decimal, currency } = CURRENCIES.toDecimal({ amount, asset });
  const ordered = CURRENCIES.fromDecimal(decimal, currency);
  if (moved.amount !== ordered?.amount || moved.asset !== ordered.asset) {
    throw refused(`the provider knows the reference from another request, ${made.id}`);
  }
  return {
    payment: {
      reference: made.id,
      createdAt: made.created_at,
      type,
      ...moved,
      scheme: "OTHER",
      status: statusOf(made.status),
      ...(source === undefined ? {} : { sourceReference: source.reference }),
      ...(destination === undefined ? {} : { destinationReference: destination.reference }),
      metadata: {},
      raw: rawOf(value),
    },
  };
}

const refused = (why: string): ConnectorError => new ConnectorError("invalid", why);
