import type { Account, Beneficiary, Movement, Transaction } from "./objects.ts";

/**
 * The JSON of an account. The answers of this file follow the contract in `docs/generic-connector/openapi.yaml`: amounts are texts of
 * digits, and dates have at least seconds.
 */

export const toAccountJson = ({ id, accountName, createdAt }: Account) => ({
  id,
  accountName,
  createdAt: createdAt.toISOString(),
});

export const toBeneficiaryJson = ({ id, ownerName, createdAt }: Beneficiary) => ({
  id,
  ownerName,
  createdAt: createdAt.toISOString(),
});

export const toBalancesJson = ({ id, balances }: Account, at: Date) => ({
  id: `${id}-balances`,
  accountID: id,
  at: at.toISOString(),
  balances: [...balances].map(([currency, amount]) => ({ currency, amount: amount.toString() })),
});

export const toTransactionJson = ({ amount, createdAt, updatedAt, ...rest }: Transaction) => ({
  ...rest,
  amount: amount.toString(),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

export const toMovementJson = ({ amount, createdAt, type: _type, ...rest }: Movement) => ({
  ...rest,
  amount: amount.toString(),
  status: "SUCCEEDED",
  createdAt: createdAt.toISOString(),
});
