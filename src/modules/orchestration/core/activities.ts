import type { Texts } from "./stages.ts";
import type { Timestamp } from "#platform/time.ts";

/** A call of another module that a stage makes. The history of the stage shows the input. */
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

/** A transaction to commit: postings, or a script with the same posting that lets the balance of the source go below zero. */
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

/** The source or the destination of a wallet's money. */
export type Subject =
  | { readonly type: "ACCOUNT"; readonly identifier: string }
  | { readonly type: "WALLET"; readonly identifier: string; readonly balance: string };

/** The parts of activities' outputs that stage programs read. */
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

/** Activities that only read, so that they may be repeated at any time. */
export const READING: ReadonlySet<ActivityName> = new Set<ActivityName>([
  "GetAccount",
  "GetPayment",
  "CheckTransfer",
  "GetWallet",
  "ListWallets",
]);

/**
 * Activities that read what a payout depends on. A retry of the payout repeats them, because the cause of the failure may have been mended
 * there. They have no effect on money that was moved before.
 */
export const READ_FOR_PAYOUT: ReadonlySet<ActivityName> = new Set<ActivityName>([
  "GetAccount",
  "GetWallet",
  "CheckTransfer",
]);

/** Florin's own activities. The history of a stage leaves them out, because clients know only the activities of the reference by name. */
export const INTERNAL_ACTIVITIES: ReadonlySet<ActivityName> = new Set<ActivityName>([
  "CheckTransfer",
]);

/** The result of an activity: its output, or the kind and the message of its failure. */
export type ActivityOutcome =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly kind: string; readonly message: string };

/**
 * The program of a stage. It yields one activity after the other, and receives the outcome of each. It is executed from its beginning each
 * time, with the outcomes that are stored, and depends on nothing else. It throws `StageError` where the stage fails.
 */
export type StageProgram<T = void> = Generator<ActivityRequest, T, ActivityOutcome>;

/** The error that a program throws where its stage fails. */
export class StageError extends Error {
  override readonly name = "StageError";
  /** The message that the history shows in place of `message`. */
  readonly historyMessage: string;

  constructor(message: string, historyMessage = message) {
    super(message);
    this.historyMessage = historyMessage;
  }
}

/** Yields an activity and returns its output. Throws `StageError` where the activity fails for good. */
export function* call<N extends ActivityName>(
  name: N,
  input: ActivityInputs[N],
): StageProgram<ActivityOutputs[N]> {
  const outcome = yield { name, input } as ActivityRequest; // `ActivityInputs` gives each name its input
  if (!outcome.ok) throw new StageError(outcome.message, "activity error");
  return outcome.output as ActivityOutputs[N]; // `ActivityOutputs` gives each name its output
}
