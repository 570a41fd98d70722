import { z } from "zod";
import type { AtlarClient } from "./client.ts";
import { CURRENCIES, readPayment } from "./payments.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The statuses of credit transfers that have ended; all other statuses are pending. */
export const STATUSES: Readonly<Record<string, "booked" | "failed">> = {
  RECONCILED: "booked",
  REJECTED: "failed",
  FAILED: "failed",
  RETURNED: "failed",
};

const CreditTransfer = z.object({
  status: kit.Text,
  created: kit.Date3339.nullish(),
  amount: z.object({ currency: kit.Text, stringValue: kit.Text }).nullish(),
  reconciliation: z.object({ bookedTransactionId: kit.OptionalText }).nullish(),
});

const findTransfer = (client: AtlarClient, externalId: string) => {
  const path = `/v1/credit-transfers/get-by-external-id/${encodeURIComponent(externalId)}`;
  return client.find({ path }, CreditTransfer, "a credit transfer");
};

/**
 * Creates a SEPA credit transfer, once: the reference is its external id, by which an existing transfer is found. The outcome is polled by
 * the reference.
 */
export async function createPayout(
  { client, clock }: kit.ClientWith<AtlarClient, "clock">,
  movement: kit.Movement,
): Promise<kit.MovementResult> {
  const { reference } = movement;
  const json = { ...bodyOf(movement), date: clock().slice(0, "2026-01-01".length) };
  const known = await findTransfer(client, reference);
  if (known === undefined) await client.create("/v1/credit-transfers", json);
  return { pollingId: reference };
}

/** Asks for a credit transfer by its external id. One of other money is that of another order; one without an amount says nothing. */
export async function findMovement(
  client: AtlarClient,
  { reference, amount, asset }: kit.SoughtMovement,
): Promise<kit.FoundMovement> {
  const known = await findTransfer(client, reference);
  if (known === undefined) return "none";
  const { amount: shown, created: createdAt } = known;
  if (shown === undefined || shown === null) return "unknown";
  const { decimal, currency } = CURRENCIES.toDecimal({ amount, asset });
  const ordered = CURRENCIES.fromDecimal(decimal, currency);
  const moved = CURRENCIES.fromDecimal(shown.stringValue, shown.currency);
  if (moved?.amount !== ordered?.amount || moved?.asset !== ordered?.asset) {
    return { otherOrder: `a credit transfer of ${shown.stringValue} ${shown.currency}` };
  }
  return { pollingId: reference, ...kit.given({ createdAt }) };
}

function bodyOf(movement: kit.Movement): object {
  const { source, destination, description, reference } = kit.requireComplete(movement);
  const { decimal, currency } = CURRENCIES.toDecimal(movement);
  return {
    paymentSchemeType: "SCT",
    amount: { currency, stringValue: decimal },
    sourceAccountId: source.reference,
    destinationExternalAccountId: destination.reference,
    externalId: reference,
    remittanceInformation:
      description === "" ? undefined : { type: "UNSTRUCTURED", value: description },
  };
}

export async function pollPayout(client: AtlarClient, pollingId: string): Promise<kit.PollResult> {
  const transfer = await findTransfer(client, pollingId);
  // The transfer was created, and the provider does not show it yet.
  if (transfer === undefined) return { pending: true };
  const { status, reconciliation } = transfer;
  const meaning = kit.rowOf(STATUSES, status);
  if (meaning === "failed") return { error: `payment failed: ${status}` };
  const booked = reconciliation?.bookedTransactionId;
  if (meaning === undefined || booked === undefined) return { pending: true };
  const payment = await readPayment(client, booked);
  return payment === undefined ? { pending: true } : { payment };
}
