import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import type { BankNumbers } from "#modules/payments/core/owners/bank-numbers.ts";
import type { Timestamp } from "#platform/time.ts";

/** A bank account as lists show it: without its numbers. */
export interface BankAccount {
  readonly key: number;
  readonly id: string;
  readonly name: string;
  readonly country?: string;
  readonly metadata: ObjectMetadata;
  readonly createdAt: Timestamp;
  /** The accounts that connectors have created for the bank account, oldest first. */
  readonly related: readonly RelatedAccount[];
}

export interface RelatedAccount {
  readonly id: OwnedId;
  readonly createdAt: Timestamp;
}

/** A bank account with its numbers, in clear or masked. */
export interface BankAccountWithNumbers extends BankAccount {
  readonly numbers: BankNumbers;
}
