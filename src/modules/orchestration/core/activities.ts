import type { Texts } from "./stages.ts";
import type { Timestamp } from "#platform/time.ts";

/** What a stage asks another module for. The inputs are those that the history shows. */
export type ActivityRequest = {
  readonly [N in ActivityName]: { readonly name: N; readonly input: ActivityInputs[N] };
}[ActivityName];

export type ActivityName = keyof ActivityInputs;

export interface ActivityInputs {
  readonly GetAccount: { readonly ledger: string; readonly id: string };
  readonly AddAccountMetadata: {
    readonly ledger: string;
    readonly account: string;
    readonly metadata: Texts;
  };
  readonly CreateTransaction: { readonly ledger: string; readonly data: TransactionData };
  readonly GetPayment: { readonly id: string };
  readonly CheckTransfer: TransferData;
  readonly CreateTransferInitiation: TransferData;
  readonly GetWallet: { readonly id: string };
  readonly ListWallets: { readonly name: string };
  readonly CreditWallet: { readonly id: string; readonly data: CreditData };
  readonly DebitWallet: { readonly id: string; readonly data: DebitData };
}

export interface AssetAmount {
  readonly amount: bigint;
  readonly asset: string;
}

/** What moves: postings, or a script that says the same and lets the source go below zero. */
export interface TransactionData {
  readonly metadata: Texts;
  readonly postings?: readonly (AssetAmount & {
    readonly source: string;
    readonly destination: string;
  })[];
  readonly script?: { readonly plain: string };
  readonly reference?: string;
  readonly timestamp?: Timestamp;
}

export interface TransferData extends AssetAmount {
  readonly connectorID?: string;
  readonly provider?: string;
  readonly description: string;
  readonly destination: string;
  readonly source?: string;
  readonly type: "TRANSFER" | "PAYOUT";
  readonly metadata: Texts;
  readonly waitingValidation: boolean;
}

export interface CreditData {
  readonly amount: AssetAmount;
  readonly balance: string;
  readonly metadata: Texts;
  readonly sources: readonly Subject[];
  readonly timestamp?: Timestamp;
}

export interface DebitData {
  readonly amount: AssetAmount;
  readonly balances: readonly string[];
  readonly destination?: Subject;
  readonly metadata: Texts;
  readonly timestamp?: Timestamp;
}

/** Where money of a wallet comes from or goes to. */
export type Subject =
  | { readonly type: "ACCOUNT"; readonly identifier: string }
  | { readonly type: "WALLET"; readonly identifier: string; readonly balance: string };

/** What programs read of the outputs of activities. */
export interface ActivityOutputs {
  readonly GetAccount: { readonly address: string; readonly metadata: Texts };
  readonly AddAccountMetadata: undefined;
  readonly CreateTransaction: CommittedMoney;
  readonly GetPayment: { readonly initialAmount: number | bigint; readonly asset: string };
  readonly CheckTransfer: { readonly connectorID: string };
  readonly CreateTransferInitiation: undefined;
  readonly GetWallet: WalletOutput;
  readonly ListWallets: { readonly data: readonly WalletOutput[] };
  readonly CreditWallet: CommittedMoney;
  readonly DebitWallet: CommittedMoney;
}

/** A transaction that was committed. */
export interface CommittedMoney {
  readonly id: number | bigint;
  readonly postings: readonly {
    readonly amount: number | bigint;
    readonly asset: string;
    readonly source: string;
    readonly destination: string;
  }[];
}

export interface WalletOutput {
  readonly id: string;
  readonly name: string;
  readonly ledger: string;
  readonly metadata: Texts;
}

/** Activities that only read, which may be done again at any time. */
export const READING: ReadonlySet<ActivityName> = new Set<ActivityName>([
  "GetAccount",
  "GetPayment",
  "CheckTransfer",
  "GetWallet",
  "ListWallets",
]);

/**
 * What a payout has read by the id of what it is about: that is read again before the payout is asked for again, because it may be
 * what was mended. It cannot change what was moved before.
 */
export const READ_FOR_PAYOUT: ReadonlySet<ActivityName> = new Set<ActivityName>([
  "GetAccount",
  "GetWallet",
  "CheckTransfer",
]);

/** Florin's own activities, which the history of a stage does not show: its clients know the activities of the reference by name. */
export const UNSHOWN: ReadonlySet<ActivityName> = new Set<ActivityName>(["CheckTransfer"]);

/** How an activity has ended. */
export type ActivityOutcome =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly kind: string; readonly message: string };

/**
 * What a stage does: it gives one activity after the other, and gets what each has come to. It is run again from its beginning each
 * time, with the outcomes that are stored, so that it depends on nothing else. It throws `StageError` where the stage fails.
 */
export type StageProgram<T = void> = Generator<ActivityRequest, T, ActivityOutcome>;

/** Why a stage has failed. */
export class StageError extends Error {
  override readonly name = "StageError";
  /** What the history says instead. */
  readonly historyMessage: string;

  constructor(message: string, historyMessage = message) {
    super(message);
    this.historyMessage = historyMessage;
  }
}

/** Lets an activity happen. Throws `StageError` where it fails for good. */
export function* call<N extends ActivityName>(
  name: N,
  input: ActivityInputs[N],
): StageProgram<ActivityOutputs[N]> {
  const outcome = yield { name, input } as ActivityRequest; // each name has its own input
  if (!outcome.ok) throw new StageError(outcome.message, "activity error");
  return outcome.output as ActivityOutputs[N]; // what the activity of this name gives
}
