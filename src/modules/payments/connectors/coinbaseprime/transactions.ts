import { z } from "zod";
import { OptionalDecimal, type PrimeAssets, withDecimals } from "./assets.ts";
import type { Progressing } from "./lists.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import type { ProviderConversion } from "#modules/payments/connectors/provider-orders.ts";
import type { ConversionStatus, PaymentStatus, PaymentType } from "#modules/payments/core/enums.ts";
import { stringifyJson } from "#platform/json.ts";

/** The type of transactions that exchange one asset for another. */
export const CONVERSION = "CONVERSION";

/** Types of transactions; all others are `OTHER`. */
export const TYPES: Readonly<Record<string, PaymentType>> = {
  DEPOSIT: "PAY-IN",
  COINBASE_DEPOSIT: "PAY-IN",
  DEPOSIT_ADJUSTMENT: "PAY-IN",
  REWARD: "PAY-IN",
  COINBASE_REFUND: "PAY-IN",
  WITHDRAWAL: "PAYOUT",
  BILLING_WITHDRAWAL: "PAYOUT",
  WITHDRAWAL_ADJUSTMENT: "PAYOUT",
  INTERNAL_DEPOSIT: "TRANSFER",
  INTERNAL_WITHDRAWAL: "TRANSFER",
  SWEEP_DEPOSIT: "TRANSFER",
  SWEEP_WITHDRAWAL: "TRANSFER",
  PROXY_DEPOSIT: "TRANSFER",
  PROXY_WITHDRAWAL: "TRANSFER",
};

/** Statuses in which a transaction ends. */
export const FINAL_STATUSES: Readonly<Record<string, PaymentStatus>> = {
  TRANSACTION_DONE: "SUCCEEDED",
  TRANSACTION_IMPORTED: "SUCCEEDED",
  TRANSACTION_CANCELLED: "CANCELLED",
  TRANSACTION_REJECTED: "FAILED",
  TRANSACTION_FAILED: "FAILED",
  TRANSACTION_EXPIRED: "EXPIRED",
};

/** Statuses on the way; a status in neither list is `OTHER`. */
export const OPEN_STATUSES: ReadonlySet<string> = new Set(
  [
    "CREATED",
    "REQUESTED",
    "APPROVED",
    "GASSING",
    "GASSED",
    "PROVISIONED",
    "PLANNED",
    "PROCESSING",
    "RESTORED",
    "DELAYED",
    "RETRIED",
    "BROADCASTING",
    "CONSTRUCTED",
    "PENDING",
  ].map((name) => `TRANSACTION_${name}`),
);

const Location = z.object({ type: kit.OptionalText, value: kit.OptionalText }).nullish();

const Transaction = z.object({
  id: kit.Text,
  wallet_id: kit.OptionalText,
  type: kit.Text,
  status: kit.Text,
  symbol: kit.Text,
  destination_symbol: kit.OptionalText,
  amount: kit.DecimalText,
  created_at: kit.Date3339,
  completed_at: kit.Date3339.nullish(),
  transfer_from: Location,
  transfer_to: Location,
  network_fees: kit.OptionalText,
  fees: OptionalDecimal,
  fee_symbol: kit.OptionalText,
  network: kit.OptionalText,
  transaction_id: kit.OptionalText,
});
type Transaction = z.output<typeof Transaction>;

const parseTransaction = (value: unknown): Transaction =>
  kit.parseObject(Transaction, value, "a transaction");

/** A transaction as a payment; conversions are left out. */
export function toPayment(value: unknown, assets: PrimeAssets): Progressing<kit.ProviderPayment> {
  const transaction = parseTransaction(value);
  const progress = progressOf(transaction);
  if (transaction.type === CONVERSION) return { ...progress, item: undefined };
  const type = kit.rowOf(TYPES, transaction.type) ?? "OTHER";
  const { amount, asset } = assets.amountOf(transaction.amount, transaction.symbol);
  const item: kit.ProviderPayment = {
    reference: transaction.id,
    createdAt: transaction.created_at,
    type,
    amount: amount < 0n ? -amount : amount,
    asset,
    scheme: "OTHER",
    status: statusOf(transaction.status),
    ...endsOf(transaction, type),
    metadata: metadataOf(transaction),
    raw: stringifyJson(value),
  };
  return { ...progress, item };
}

/** A transaction that exchanges one asset for another. The provider does not say what came of it. */
export function toConversion(value: unknown, assets: PrimeAssets): Progressing<ProviderConversion> {
  const transaction = parseTransaction(value);
  const { id, symbol, destination_symbol = "", created_at, completed_at, fees } = transaction;
  const { amount, asset } = assets.amountOf(transaction.amount, symbol);
  const feeSymbol = transaction.fee_symbol ?? symbol;
  const fee = fees === undefined ? undefined : assets.amountOf(fees, feeSymbol);
  const decimals = assets.decimalsOf(destination_symbol);
  const item: ProviderConversion = {
    reference: id,
    createdAt: created_at,
    updatedAt: completed_at ?? created_at,
    sourceAsset: asset,
    destinationAsset: withDecimals(destination_symbol, decimals),
    sourceAmount: amount < 0n ? -amount : amount,
    ...(fee === undefined ? {} : { fee: fee.amount, feeAsset: fee.asset }),
    status: CONVERSION_STATUSES[statusOf(transaction.status)] ?? "PENDING",
    ...kit.given({
      sourceReference: walletOf(transaction.transfer_from) ?? transaction.wallet_id,
      destinationReference: walletOf(transaction.transfer_to),
    }),
    metadata: metadataOf(transaction),
    raw: stringifyJson(value),
  };
  return { ...progressOf(transaction), item };
}

const CONVERSION_STATUSES: Readonly<Partial<Record<PaymentStatus, ConversionStatus>>> = {
  SUCCEEDED: "COMPLETED",
  CANCELLED: "FAILED",
  FAILED: "FAILED",
  EXPIRED: "FAILED",
};

const statusOf = (status: string): PaymentStatus =>
  kit.rowOf(FINAL_STATUSES, status) ?? (OPEN_STATUSES.has(status) ? "PENDING" : "OTHER");

/** A transaction with a status that is not known may change, too. */
const progressOf = ({ created_at, status }: Transaction) => ({
  createdAt: created_at,
  isOpen: kit.rowOf(FINAL_STATUSES, status) === undefined,
});

const walletOf = (location: z.output<typeof Location>): string | undefined =>
  location?.type === "WALLET" ? location.value : undefined;

/** The wallets at both ends: the wallet of the transaction is the one that pays, or the one that is paid. */
function endsOf({ wallet_id, transfer_from, transfer_to }: Transaction, type: PaymentType) {
  const [from, to] = [walletOf(transfer_from), walletOf(transfer_to)];
  if (type === "PAY-IN")
    return kit.given({ sourceReference: from, destinationReference: wallet_id });
  if (type === "PAYOUT") return kit.given({ sourceReference: wallet_id, destinationReference: to });
  return kit.given({ sourceReference: from ?? wallet_id, destinationReference: to });
}

const metadataOf = (transaction: Transaction): Record<string, string> => {
  const { type, network, network_fees, fees, fee_symbol, transaction_id } = transaction;
  return kit.given({ type, network, network_fees, fees, fee_symbol, transaction_id });
};
