import { partiesOf, type RequestedTransfer } from "./transfer.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import { createInitiation } from "#modules/payments/initiations/create.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import { getInitiation } from "#modules/payments/initiations/store.ts";
import { wakeMovements } from "#modules/payments/movements/wake.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/**
 * Creates an initiation and sends it, unless it waits for its approval. If the reference is known, returns the initiation
 * with this reference. Returns the id. Throws `VALIDATION` for an invalid transfer, and `CONFLICT` if the reference belongs
 * to another transfer.
 */
export async function requestTransfer(
  context: ServiceContext,
  transfer: RequestedTransfer,
): Promise<string> {
  const { reference, description, type, amount, asset, metadata } = transfer;
  const parties = await partiesOf(context, transfer);
  const id = { connector: parties.connector, reference };
  try {
    await createInitiation(context, {
      reference,
      description,
      type,
      amount,
      asset,
      metadata,
      ...parties,
      isSent: !transfer.waitsForApproval,
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "ALREADY_EXISTS") throw error;
    const { destination } = parties;
    assertSame(await getInitiation(context, id), { type, amount, asset, destination });
  }
  // If a request is cut off before this line, its repetition wakes the connector.
  if (!transfer.waitsForApproval) await wakeMovements(context, parties.connector);
  return encodeOwnedId(id);
}

function assertSame(
  found: Initiation,
  wanted: Pick<Initiation, "type" | "asset" | "destination"> & { readonly amount: bigint },
): void {
  const { type, asset, destination, state } = found;
  const isSame =
    type === wanted.type &&
    asset === wanted.asset &&
    state.amount === wanted.amount &&
    destination?.reference === wanted.destination?.reference;
  if (isSame) return;
  throw new AppError(
    "CONFLICT",
    `the reference '${found.id.reference}' is that of another transfer`,
  );
}
