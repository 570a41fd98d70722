import { z } from "zod";
import type { Account, Beneficiary, Movement, Transaction } from "./provider.ts";

/** The JSON of the contract in `docs/generic-connector/openapi.yaml`: amounts are texts of digits, dates have seconds and more. */

export const MovementRequest = z.object({
  idempotencyKey: z.string().min(1),
  amount: z
    .string()
    .regex(/^[1-9]\d*$/, "expected a positive integer as a text")
    .transform(BigInt),
  currency: z.string().regex(/^[A-Z][A-Z0-9]*(?:\/\d{1,6})?$/, "expected an asset such as USD/2"),
  sourceAccountId: z.string().min(1),
  destinationAccountId: z.string().min(1),
  description: z.string().default(""),
  metadata: z.record(z.string(), z.string()).default({}),
});
export type MovementRequest = z.output<typeof MovementRequest>;

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
