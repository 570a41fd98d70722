import type { z } from "@hono/zod-openapi";
import type {
  BalanceResponse,
  BalanceWithAssetsResponse,
  HoldResponse,
  HoldStateResponse,
  SummaryResponse,
  TransactionResponse,
  WalletResponse,
} from "./schemas.ts";
import type { LedgerTransaction } from "#modules/ledger/index.ts";
import type { WalletBalance, BalanceWithAssets } from "#modules/wallets/core/balance.ts";
import type { Hold, HoldState } from "#modules/wallets/core/hold.ts";
import type { WalletSummary } from "#modules/wallets/core/summary.ts";
import type { Wallet } from "#modules/wallets/core/wallet.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

export const toWalletView = ({ assets, ...wallet }: Wallet): z.input<typeof WalletResponse> => ({
  id: wallet.id,
  name: wallet.name,
  metadata: wallet.metadata,
  createdAt: wallet.createdAt,
  ledger: wallet.ledger,
  balances: { main: { expiresAt: null, priority: 0, assets: { ...assets } } },
});

export const toBalanceView = ({
  name,
  expiresAt,
  priority,
}: WalletBalance): z.input<typeof BalanceResponse> => ({
  name,
  expiresAt: expiresAt === undefined ? null : formatTimestamp(expiresAt),
  priority,
});

export const toBalanceWithAssetsView = (
  balance: BalanceWithAssets,
): z.input<typeof BalanceWithAssetsResponse> => ({
  ...toBalanceView(balance),
  assets: { ...balance.assets },
});

export const toSummaryView = (summary: WalletSummary): z.input<typeof SummaryResponse> => ({
  balances: summary.balances.map(toBalanceWithAssetsView),
  availableFunds: { ...summary.availableFunds },
  expirableFunds: { ...summary.expirableFunds },
  expiredFunds: { ...summary.expiredFunds },
  holdFunds: { ...summary.holdFunds },
});

export const toHoldView = (hold: Hold): z.input<typeof HoldResponse> => ({
  id: hold.id,
  walletID: hold.walletId,
  destination: toSubjectView(hold.destination),
  asset: hold.asset,
  metadata: hold.metadata,
  description: hold.description,
  ...optionalTimestamp("expiresAt", hold.expiresAt),
});

export const toHoldStateView = (hold: HoldState): z.input<typeof HoldStateResponse> => ({
  ...toHoldView(hold),
  originalAmount: hold.originalAmount,
  remaining: hold.remaining,
});

function toSubjectView(subject: Hold["destination"]) {
  const { type, identifier } = subject;
  if (subject.type === "ACCOUNT" || subject.balance === undefined) return { type, identifier };
  return { type, identifier, balance: subject.balance };
}

export const toTransactionView = (
  transaction: LedgerTransaction,
  ledger: string,
): z.input<typeof TransactionResponse> => ({
  id: transaction.id,
  ledger,
  postings: transaction.postings.map((posting) => ({ ...posting })),
  metadata: transaction.metadata,
  ...(transaction.reference === undefined ? {} : { reference: transaction.reference }),
  ...(transaction.template === undefined ? {} : { template: transaction.template }),
  timestamp: transaction.timestamp,
  insertedAt: transaction.insertedAt,
  updatedAt: transaction.updatedAt,
  reverted: transaction.reverted,
  ...(transaction.revertedAt === undefined ? {} : { revertedAt: transaction.revertedAt }),
});
