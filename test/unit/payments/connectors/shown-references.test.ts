import { describe, expect, test } from "vitest";
import { toPayment as toColumn } from "#modules/payments/connectors/column/payments.ts";
import { toPayment as toGeneric } from "#modules/payments/connectors/generic/provider-objects.ts";
import { kindOf } from "#modules/payments/connectors/index.ts";
import { toPayment as toMangopay } from "#modules/payments/connectors/mangopay/payments.ts";
import { readOrder, toOrdered as toModulr } from "#modules/payments/connectors/modulr/orders.ts";
import { toOrdered as toMoneycorp } from "#modules/payments/connectors/moneycorp/orders.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import { toPayment as toStripe } from "#modules/payments/connectors/stripe/payments.ts";
import { toPayment as toWise } from "#modules/payments/connectors/wise/payments.ts";

const TIME = "2026-03-01T09:30:00Z";
const SECONDS = Math.floor(Date.parse(TIME) / 1000);

/** The payment that a provider lists for a movement with a reference, or, without one, for a payment that was made elsewhere. */
const LISTED: Readonly<Record<string, (reference?: string) => ProviderPayment | undefined>> = {
  column: (idempotency_key) =>
    toColumn({
      id: "acht_1",
      created_at: TIME,
      type: "ACH_CREDIT",
      status: "SETTLED",
      amount: 100,
      currency_code: "USD",
      idempotency_key,
    }),
  generic: (relatedTransactionID) =>
    toGeneric({
      id: "tx-1",
      relatedTransactionID,
      createdAt: TIME,
      updatedAt: TIME,
      currency: "EUR/2",
      type: "PAYOUT",
      status: "SUCCEEDED",
      amount: "100",
    }).item,
  mangopay: (Tag) =>
    toMangopay({
      Id: "1",
      Type: "PAYOUT",
      Status: "SUCCEEDED",
      CreationDate: SECONDS,
      DebitedFunds: { Currency: "EUR", Amount: 100 },
      DebitedWalletId: "w1",
      Tag,
    }),
  modulr: (externalReference) => {
    const value = {
      id: "P1",
      status: "PROCESSED",
      createdDate: "2026-03-01T09:30:00.000+0000",
      externalReference,
      details: {
        sourceAccountId: "A1",
        destination: { type: "BENEFICIARY", id: "B1" },
        amount: 1,
        currency: "GBP",
      },
    };
    return toModulr(readOrder(value), value);
  },
  moneycorp: (clientReference) =>
    toMoneycorp("payments", {
      id: "7",
      attributes: {
        accountId: 1,
        createdAt: "2026-03-01T09:30:00",
        paymentAmount: 1,
        paymentCurrency: "EUR",
        paymentStatus: "Cleared",
        clientReference,
      },
    }),
  stripe: (reference) =>
    toStripe(
      {
        id: "txn_1",
        type: "payout",
        created: SECONDS,
        amount: -100,
        currency: "usd",
        source: {
          id: "po_1",
          object: "payout",
          amount: 100,
          currency: "usd",
          status: "paid",
          type: "bank_account",
          balance_transaction: "txn_1",
          metadata: reference === undefined ? {} : { florin_reference: reference },
        },
      },
      "acct_1",
    ),
  wise: (customerTransactionId) =>
    toWise(
      {
        id: 1,
        targetAccount: 2,
        status: "outgoing_payment_sent",
        created: "2026-03-01 09:30:00",
        sourceCurrency: "EUR",
        targetCurrency: "EUR",
        targetValue: 1,
        customerTransactionId,
      },
      { type: "PAYOUT" },
    ),
};

const REFERENCES = ["6E6A4F0A-8DB4-4E50-9F1B-2D8F0E3A7C11", "po:1/é", "x".repeat(1000)];

describe.each(Object.keys(LISTED))("%s", (provider) => {
  test.each(REFERENCES)(
    "a connector shows on a payment the reference that it was told, %#",
    (reference) => {
      const told = kindOf(provider)?.shownReferenceOf?.(reference) ?? reference;
      expect(LISTED[provider]?.(told)).toMatchObject({ initiationReference: told });
    },
  );

  test("a connector shows no reference on a payment that was made elsewhere", () => {
    const payment = LISTED[provider]?.();
    expect(payment?.reference).toBeDefined();
    expect(payment).not.toHaveProperty("initiationReference");
  });
});

test("a refund of a transfer shows the reference of the reversal, and not that of the transfer", () => {
  const transfer = {
    id: "tr_1",
    amount: 100,
    currency: "usd",
    destination: "acct_2",
    balance_transaction: "txn_1",
    metadata: { florin_reference: "transfer-1" },
  };
  const refund = toStripe(
    {
      id: "txn_2",
      type: "transfer_refund",
      created: SECONDS,
      amount: 40,
      currency: "usd",
      source: {
        id: "trr_1",
        object: "transfer_reversal",
        metadata: { florin_reference: "reversal-1" },
        transfer,
      },
    },
    "acct_1",
  );
  expect(refund).toMatchObject({
    parentReference: "txn_1",
    status: "REFUNDED",
    initiationReference: "reversal-1",
  });
});
