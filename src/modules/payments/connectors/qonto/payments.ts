import { z } from "zod";
import { counterpartyOf, CURRENCIES, texts } from "./accounts.ts";
import type { QontoClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { stringifyJson } from "#platform/json.ts";

/** The types of transactions, by their kinds; all others are `OTHER`. */
export const TYPES: Readonly<Record<string, kit.PaymentType>> = {
  Income: "PAY-IN",
  SwiftIncome: "PAY-IN",
  DirectDebitCollection: "PAY-IN",
  FinancingIncome: "PAY-IN",
  Check: "PAYOUT",
  DirectDebit: "PAYOUT",
  BillingTransfer: "PAYOUT",
  FinancingInstallment: "PAYOUT",
  Transfer: "PAYOUT",
  Card: "PAYOUT",
  PagodaPayment: "PAYOUT",
  F24Payment: "PAYOUT",
  WalletToWallet: "TRANSFER",
  Other: "OTHER",
};

/** The statuses of transactions; all others are `OTHER`. */
export const STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
  pending: "PENDING",
  declined: "FAILED",
  completed: "SUCCEEDED",
};

/** The counterparty of a transaction. Each kind of transaction with a counterparty has a member of this form. */
const Party = z
  .object({
    counterparty_account_number: kit.OptionalText,
    counterparty_bank_identifier: kit.OptionalText,
  })
  .nullish();

const Transaction = z.object({
  id: kit.Text,
  amount_cents: kit.Amount,
  currency: kit.Text,
  status: z.string(),
  subject_type: kit.OptionalText,
  side: z.enum(["credit", "debit"]),
  emitted_at: kit.Date3339,
  updated_at: kit.Date3339,
  label: kit.OptionalText,
  reference: kit.OptionalText,
  operation_type: kit.OptionalText,
  transfer: Party,
  income: Party,
  swift_income: Party,
  direct_debit: Party,
  direct_debit_collection: Party,
});

/** The transactions of a bank account, in the order of their changes. */
export function fetchPayments(
  client: QontoClient,
  request: kit.FetchRequest,
): Promise<kit.PaymentPage> {
  const { reference } = kit.requireAccount(request.parent, "payments");
  return kit.fetchTimeList(request, {
    readPage: (place) => client.listTransactions(reference, place),
    read: (value) => toPayment(value, reference),
  });
}

/** The payment of a transaction of an account; undefined for an unknown currency. */
export function toPayment(
  value: unknown,
  account: string,
): kit.Listed<kit.ProviderPayment> | undefined {
  const transaction = kit.parseObject(Transaction, value, "a transaction");
  const { id, status, side, emitted_at, updated_at, currency, amount_cents } = transaction;
  const amount = CURRENCIES.fromUnits(amount_cents, currency);
  if (amount === undefined) return undefined;
  const party =
    transaction.transfer ??
    transaction.income ??
    transaction.swift_income ??
    transaction.direct_debit ??
    transaction.direct_debit_collection;
  const other =
    party?.counterparty_account_number === undefined
      ? undefined
      : counterpartyOf({
          number: party.counterparty_account_number,
          bank: party.counterparty_bank_identifier,
          fallback: "",
        });
  const [source, destination] = side === "debit" ? [account, other] : [other, account];
  const item: kit.ProviderPayment = {
    reference: id,
    createdAt: emitted_at,
    type: kit.rowOf(TYPES, transaction.subject_type) ?? "OTHER",
    ...amount,
    scheme: "OTHER",
    status: kit.rowOf(STATUSES, status) ?? "OTHER",
    ...kit.given({ sourceReference: source, destinationReference: destination }),
    metadata: texts({
      label: transaction.label,
      reference: transaction.reference,
      operation_type: transaction.operation_type,
    }),
    raw: stringifyJson(value),
  };
  return { item, time: updated_at, identity: `${id} ${status} ${updated_at}` };
}
