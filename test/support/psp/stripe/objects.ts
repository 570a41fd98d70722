/**
 * The objects of Stripe in their documented shapes, with the members that the connector reads. References are ids, unless a
 * request expands them.
 */

export type StripeValue = { readonly id: string } & Record<string, unknown>;

export const cardCharge = (id: string, transaction: string, more: object = {}): StripeValue => ({
  id,
  object: "charge",
  amount: 2500,
  amount_refunded: 0,
  balance_transaction: transaction,
  currency: "eur",
  metadata: { order: "42" },
  payment_intent: null,
  payment_method_details: { type: "card", card: { brand: "visa", last4: "4242" } },
  status: "succeeded",
  ...more,
});

export const refund = (id: string, charge: string | null, more: object = {}): StripeValue => ({
  id,
  object: "refund",
  amount: 500,
  charge,
  currency: "eur",
  metadata: {},
  payment_intent: null,
  status: "succeeded",
  ...more,
});

export const payout = (id: string, transaction: string, more: object = {}): StripeValue => ({
  id,
  object: "payout",
  amount: 700,
  balance_transaction: transaction,
  currency: "eur",
  destination: "ba_own",
  failure_balance_transaction: null,
  metadata: {},
  method: "standard",
  status: "paid",
  type: "bank_account",
  ...more,
});

export const transfer = (id: string, transaction: string, more: object = {}): StripeValue => ({
  id,
  object: "transfer",
  amount: 900,
  amount_reversed: 0,
  balance_transaction: transaction,
  currency: "eur",
  destination: "acct_1",
  metadata: {},
  reversals: { object: "list", data: [], has_more: false },
  ...more,
});

export const dispute = (id: string, charge: string, more: object = {}): StripeValue => ({
  id,
  object: "dispute",
  amount: 2500,
  charge,
  currency: "eur",
  payment_intent: null,
  status: "needs_response",
  ...more,
});

export const transaction = (id: string, more: object = {}): StripeValue => ({
  id,
  object: "balance_transaction",
  amount: 2500,
  currency: "eur",
  fee: 0,
  net: 2500,
  source: null,
  status: "available",
  type: "charge",
  ...more,
});

export const account = (id: string, more: object = {}): StripeValue => ({
  id,
  object: "account",
  default_currency: "eur",
  metadata: { team: "north" },
  settings: { dashboard: { display_name: `Shop ${id}` } },
  ...more,
});

export const bankAccount = (id: string, owner: string, more: object = {}): StripeValue => ({
  id,
  object: "bank_account",
  account: owner,
  country: "DE",
  currency: "eur",
  last4: "3000",
  metadata: {},
  ...more,
});
