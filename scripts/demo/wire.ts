import { z } from "zod";

/** A schema of amounts of any size. This file has the schemas of the answers and events that the demo reads. */

const Amount = z.union([z.int(), z.bigint()]).transform(BigInt);
const Metadata = z.record(z.string(), z.string());

export type Transaction = z.output<typeof Transaction>;
export const Transaction = z.object({
  id: z.int(),
  reference: z.string().optional(),
  template: z.string().optional(),
  postings: z.array(
    z.object({ source: z.string(), destination: z.string(), amount: Amount, asset: z.string() }),
  ),
  metadata: Metadata,
  timestamp: z.iso.datetime(),
  reverted: z.boolean(),
});

const Volumes = z.object({ input: Amount, output: Amount, balance: Amount });

export type Account = z.output<typeof Account>;
export const Account = z.object({
  address: z.string(),
  metadata: Metadata,
  volumes: z.record(z.string(), Volumes).optional(),
});

const pageOf = <S extends z.ZodType>(item: S) =>
  z.object({
    cursor: z.object({
      data: z.array(item),
      hasMore: z.boolean(),
      next: z.string().optional(),
      previous: z.string().optional(),
    }),
  });

export const TransactionPage = pageOf(Transaction);
export const AccountPage = pageOf(Account);
export const AccountAnswer = z.object({ data: Account });

export const PaymentAccountPage = pageOf(
  z.object({ id: z.string(), reference: z.string(), type: z.enum(["INTERNAL", "EXTERNAL"]) }),
);
export const PaymentPage = pageOf(z.object({ id: z.string(), amount: Amount, asset: z.string() }));
export const PoolBalances = z.object({
  data: z.array(z.object({ asset: z.string(), amount: Amount })),
});
export const BookingAnswer = z.object({
  data: z.object({ id: z.string(), booked: z.int(), failed: z.int(), pending: z.int() }),
});

export const TransactionAnswer = z.object({ data: Transaction });

export const ErrorAnswer = z.object({ errorCode: z.string(), errorMessage: z.string() });

export const BulkAnswer = z.object({
  data: z.array(
    z.object({
      responseType: z.string(),
      logID: z.int(),
      errorCode: z.string().optional(),
      errorDescription: z.string().optional(),
      data: z.object({ id: z.union([z.int(), z.bigint()]).transform(Number) }).optional(),
    }),
  ),
});

/** The body of a webhook for an event of the demo. */
export type Event = z.output<typeof Event>;
export const Event = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("ledger.committed_transactions"),
    payload: z.object({ ledger: z.string(), transactions: z.tuple([Transaction]) }),
  }),
  z.object({
    type: z.literal("ledger.reverted_transaction"),
    payload: z.object({
      ledger: z.string(),
      revertedTransaction: Transaction,
      revertTransaction: Transaction,
    }),
  }),
  z.object({
    type: z.literal("ledger.saved_metadata"),
    payload: z.object({
      ledger: z.string(),
      targetType: z.enum(["ACCOUNT", "TRANSACTION"]),
      targetId: z.string(),
      metadata: Metadata,
    }),
  }),
]);

export const InitiationPage = pageOf(
  z.object({ reference: z.string(), status: z.string(), amount: Amount }),
);

export const WalletAnswer = z.object({
  data: z.object({
    balances: z.object({ main: z.object({ assets: z.record(z.string(), Amount) }) }),
  }),
});

export const Timeline = z.object({
  data: z.array(
    z.object({
      at: z.iso.datetime(),
      kind: z.string(),
      stage: z.int().optional(),
      data: z.object({
        name: z.string().optional(),
        ledger: z.string().optional(),
        transaction: z.int().optional(),
        wallet: z.string().optional(),
        paymentInitiation: z.string().optional(),
      }),
    }),
  ),
});
