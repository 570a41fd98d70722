import {
  type ActivityOutputs,
  type AssetAmount,
  type StageProgram,
  StageError,
  type TransferData,
} from "./activities.ts";
import type { PaymentDestination, Texts } from "./stages.ts";

/** The amount of a payout, and the metadata of its payment initiation. */
interface PaidOut {
  readonly amount: AssetAmount;
  readonly metadata: Texts;
}

/** The account to pay to, which the metadata of the source names. */
function payeeOf(metadata: Texts, { metadata: key }: PaymentDestination): string {
  const account = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  if (account === undefined) {
    throw new StageError(`expected '${key}' metadata containing formance account ID`);
  }
  if (account === "") throw new StageError("formance account ID empty");
  return account;
}

const TRANSFER_TYPES = ["TRANSFER", "PAYOUT"] as const;
const typeOf = ({ type }: PaymentDestination) =>
  TRANSFER_TYPES.find((known) => known === type.toUpperCase());

/** Throws `StageError` for a destination that cannot be paid, before any money moves. */
export function assertPayable(destination: PaymentDestination): void {
  if (typeOf(destination) === undefined) {
    throw new StageError(
      `the type of a payment is TRANSFER or PAYOUT, and not '${destination.type}'`,
    );
  }
  if (destination.psp === "" && destination.connectorId === undefined) {
    throw new StageError("a payment needs a connectorId, or the psp of the only connector");
  }
}

/**
 * Checks a payout to the account that the metadata of the source names, as far as possible before the money leaves. Returns the input of
 * the payment initiation.
 */
export function* checkPayout(
  { amount: { amount, asset }, metadata }: PaidOut,
  destination: PaymentDestination,
  known: Texts,
): StageProgram<TransferData> {
  const { psp, sourceAccount = "", connectorId, waitingValidation } = destination;
  const type = typeOf(destination) ?? "TRANSFER";
  const payout: TransferData = {
    amount,
    asset,
    description: `${psp} ${type}`,
    destination: payeeOf(known, destination),
    type,
    metadata,
    waitingValidation,
    ...(connectorId === undefined ? {} : { connectorID: connectorId }),
    ...(psp === "" ? {} : { provider: psp.toUpperCase() }),
    ...(sourceAccount === "" ? {} : { source: sourceAccount }),
  };
  const outcome = yield { name: "CheckTransfer", input: payout };
  if (!outcome.ok) throw new StageError(outcome.message);
  const { connectorID } = outcome.output as ActivityOutputs["CheckTransfer"]; // `CheckTransfer` has this output
  return { ...payout, connectorID };
}
