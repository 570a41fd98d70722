import { createHash } from "node:crypto";
import { z } from "zod";
import { numberOf, PROFILE_ID } from "./accounts.ts";
import { CURRENCIES, type WiseClient } from "./client.ts";
import { type Ends, toPayment, WiseTransfer } from "./payments.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { present } from "#platform/assert.ts";

/**
 * Creates a quote, and a transfer by it. The customer's id of the transfer follows from the reference of the movement, so that a call may
 * be repeated; the quote of a repeated call is not used. The transfer is not funded here, but at the provider.
 */
export async function createTransfer(
  client: WiseClient,
  movement: kit.Movement,
): Promise<kit.MovementResult> {
  const { profile, target, ends } = partiesOf(movement);
  const { decimal, currency } = CURRENCIES.toDecimal(movement);
  if (movement.amount <= 0n) throw kit.refused("amount must be positive");
  const quoteUuid = await createQuote(client, { profile, decimal, currency });
  const json = {
    targetAccount: numberOf(target),
    quoteUuid,
    customerTransactionId: toCustomerTransactionId(movement.reference),
  };
  const value = await client.read(
    { method: "POST", path: "/v1/transfers", json },
    z.unknown(),
    "the answer to a transfer",
  );
  const answer = WiseTransfer.safeParse(value);
  // The transfer was created, although the answer is not valid.
  if (!answer.success) throw kit.outcomeUnknown("the answer to a transfer is not valid");
  const { id, targetAccount, sourceCurrency, targetCurrency } = answer.data;
  if (targetAccount !== target || sourceCurrency !== currency || targetCurrency !== currency) {
    throw kit.refused(`the provider knows the reference from another transfer, ${id}`);
  }
  return { payment: present(toPayment(value, ends), "the currency is a supported one") };
}

interface Parties {
  readonly profile: string;
  readonly target: string;
  readonly ends: Ends;
}

/** The profile, target and ends of a movement. A target account of the connector is paid by its profile, and a recipient by its own id. */
function partiesOf(movement: kit.Movement): Parties {
  const { type, source, destination } = kit.requireAccounts(movement);
  const profile = source.metadata[PROFILE_ID];
  if (profile === undefined) {
    throw kit.refused(
      "source account metadata with profile id is required in transfer/payout request",
    );
  }
  numberOf(profile);
  const own = destination.metadata[PROFILE_ID];
  if (own === undefined && type === "TRANSFER") {
    throw kit.refused(
      "destination account metadata with profile id is required in transfer request",
    );
  }
  return {
    profile,
    target: own ?? destination.reference,
    ends: {
      type: own === undefined ? "PAYOUT" : "TRANSFER",
      sourceReference: source.reference,
      destinationReference: destination.reference,
    },
  };
}

const Quote = z.object({ id: kit.Text });

async function createQuote(
  client: WiseClient,
  { profile, decimal, currency }: Record<"profile" | "decimal" | "currency", string>,
): Promise<string> {
  const path = `/v3/profiles/${encodeURIComponent(profile)}/quotes`;
  const json = {
    sourceCurrency: currency,
    targetCurrency: currency,
    // The amount is a JSON number with exactly these decimals.
    sourceAmount: Symbol(decimal),
  };
  return (await client.read({ method: "POST", path, json }, Quote, "a quote")).id;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The customer's id of a transfer. The provider accepts only UUIDs; any other reference is mapped to a UUID by its SHA-256. */
export function toCustomerTransactionId(reference: string): string {
  if (UUID.test(reference)) return reference.toLowerCase();
  const hex = createHash("sha256").update(reference).digest("hex");
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return [...groups, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}
