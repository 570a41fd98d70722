import type { MovementRequest } from "./requests.ts";

/** An account at the provider. Amounts of this file are in the minor unit of their asset. */
export interface Account {
  readonly id: string;
  readonly accountName: string;
  readonly createdAt: Date;
  readonly balances: Map<string, bigint>;
}

export interface Beneficiary {
  readonly id: string;
  readonly ownerName: string;
  readonly createdAt: Date;
}

export interface Transaction {
  readonly id: string;
  /** The id of the payment that the transaction is a state of; absent for a transaction that is a payment of its own. */
  readonly relatedTransactionID?: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly currency: string;
  readonly type: "PAYIN" | "PAYOUT" | "TRANSFER";
  readonly status: "SUCCEEDED" | "REFUNDED";
  readonly amount: bigint;
  readonly sourceAccountID?: string;
  readonly destinationAccountID?: string;
}

export interface Movement extends MovementRequest {
  readonly id: string;
  readonly type: "PAYOUT" | "TRANSFER";
  readonly createdAt: Date;
}
