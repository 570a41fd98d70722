import type { Timestamp } from "#platform/time.ts";

/** The stages of a workflow, with all variables put in and all standard values. */
export type Stage = SendStage | DelayStage | WaitEventStage | UpdateStage | NoopStage;

export interface SendStage {
  readonly type: "send";
  readonly source: SendSource;
  readonly destination: SendDestination;
  /** The amount to send. Without an amount, a payment as the source is sent whole. */
  readonly amount?: { readonly amount?: bigint; readonly asset: string };
  readonly metadata: Texts;
  readonly timestamp?: Timestamp;
}

export type SendSource =
  | { readonly account: LedgerAccount }
  | { readonly wallet: WalletReference }
  | { readonly payment: PaymentSource };

export type SendDestination =
  | { readonly account: LedgerAccount }
  | { readonly wallet: WalletReference }
  | { readonly payment: PaymentDestination };

export interface LedgerAccount {
  readonly id: string;
  readonly ledger: string;
  /** The account through which money leaves a ledger or comes into it. */
  readonly throughAccount: string;
  readonly allowOverdraft: boolean;
}

/** A wallet by its id or by its name; the other text is empty. */
export interface WalletReference {
  readonly id: string;
  readonly name: string;
  readonly balance: string;
}

export interface PaymentSource {
  readonly id: string;
  readonly ledger?: string;
  readonly holdingAccount?: string;
  readonly throughAccount: string;
  readonly allowOverdraft: boolean;
}

export interface PaymentDestination {
  readonly psp: string;
  readonly type: string;
  readonly sourceAccount?: string;
  /** The key of the source's metadata that holds the account to pay to. */
  readonly metadata: string;
  readonly waitingValidation: boolean;
  readonly connectorId?: string;
}

/** A delay has either a duration or an end. */
export interface DelayStage {
  readonly type: "delay";
  readonly durationMs?: number;
  readonly until?: Timestamp;
}

export interface WaitEventStage {
  readonly type: "wait_event";
  readonly event: string;
}

export interface UpdateStage {
  readonly type: "update";
  readonly account: { readonly id: string; readonly ledger: string; readonly metadata: Texts };
}

export interface NoopStage {
  readonly type: "noop";
}

export type Texts = Readonly<Record<string, string>>;

export const STAGE_TYPES = ["send", "delay", "wait_event", "update", "noop"] as const;
export type StageType = (typeof STAGE_TYPES)[number];
export const isStageType = (name: string): name is StageType =>
  (STAGE_TYPES as readonly string[]).includes(name);

/** Names of the types of stages in the history of an instance. */
export const STAGE_NAMES: Readonly<Record<StageType, string>> = {
  send: "RunSend",
  delay: "RunDelay",
  wait_event: "RunWaitEvent",
  update: "RunUpdate",
  noop: "RunNoop",
};
