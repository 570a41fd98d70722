import { partiesOf, type RequestedTransfer, type TransferParties } from "./transfer.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import { createInitiation } from "#modules/payments/initiations/create.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import { getInitiation } from "#modules/payments/initiations/store.ts";
import { requireConnector } from "#modules/payments/installs/store.ts";
import { needsPerson } from "#modules/payments/lookups/askable.ts";
import { findLookup } from "#modules/payments/lookups/lookup-rows.ts";
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
  const isReviewed = await mayHaveBeenPaid(context, parties.connector, transfer);
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
      isReviewed,
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

/**
 * Whether the original of this restored deployment may have requested the transfer, and nobody can find out whether it was paid:
 *
 *     what requests it began before the arming ── its provider can be asked by the reference ──► no: it is looked up
 *                                              └─ its provider cannot be asked ───────────────► yes
 *     it began later, for a cause from before: the original may have answered it with another reference ──► yes
 */
async function mayHaveBeenPaid(
  context: ServiceContext,
  id: TransferParties["connector"],
  { type, begunAt, causedAt }: RequestedTransfer,
): Promise<boolean> {
  if (begunAt === undefined) return false;
  const connector = await requireConnector(context, id);
  const lookup = await findLookup(context, connector.key);
  if (lookup === undefined || lookup.isSkipped) return false;
  if (begunAt <= lookup.beganAt) {
    return needsPerson(context, { connector, type, knownAt: begunAt });
  }
  return causedAt !== undefined && (await causedAt()) <= lookup.beganAt;
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
