import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The type and status that a category of sources gives a transaction, besides the list of the transaction. */
interface Category {
  /**
   * The type of the payment. `by-sign` is a transfer between accounts of the API key: a transfer for the paying account, and a pay-in for
   * the other one.
   */
  readonly type: kit.PaymentType | "by-sign";
  /** The status of a posted transaction that is not a success. */
  readonly posted?: kit.PaymentStatus;
}

const payIn: Category = { type: "PAY-IN" };
const payout: Category = { type: "PAYOUT" };
const refundedPayIn: Category = { type: "PAY-IN", posted: "REFUNDED" };
const refundedPayout: Category = { type: "PAYOUT", posted: "REFUNDED" };
const failedPayout: Category = { type: "PAYOUT", posted: "FAILED" };
const other: Category = { type: "OTHER" };

/** The categories of the sources of transactions, pending and declined ones; all others are `OTHER`. */
export const CATEGORIES: Readonly<Record<string, Category>> = {
  account_transfer_intention: { type: "by-sign" },
  account_transfer_instruction: { type: "by-sign" },

  inbound_ach_transfer: payIn,
  inbound_check_adjustment: payIn,
  inbound_fednow_transfer_confirmation: payIn,
  inbound_fednow_transfer_decline: payIn,
  inbound_funds_hold: payIn,
  inbound_international_ach_transfer: payIn,
  inbound_real_time_payments_transfer_confirmation: payIn,
  inbound_real_time_payments_transfer_decline: payIn,
  inbound_wire_drawdown_payment: payIn,
  inbound_wire_transfer: payIn,
  card_refund: payIn,
  card_revenue_payment: payIn,
  cashback_payment: payIn,
  interest_payment: payIn,
  sample_funds: payIn,
  check_deposit_acceptance: payIn,
  check_deposit_instruction: payIn,
  check_deposit_rejection: payIn,
  wire_decline: payIn,
  inbound_ach_transfer_return_intention: refundedPayIn,
  inbound_check_deposit_return_intention: refundedPayIn,
  inbound_wire_transfer_reversal: refundedPayIn,
  check_deposit_return: refundedPayIn,

  ach_transfer_intention: payout,
  ach_transfer_instruction: payout,
  card_push_transfer_acceptance: payout,
  card_push_transfer_instruction: payout,
  check_transfer_intention: payout,
  check_transfer_instruction: payout,
  check_transfer_deposit: payout,
  fednow_transfer_acknowledgement: payout,
  fednow_transfer_instruction: payout,
  real_time_payments_transfer_acknowledgement: payout,
  real_time_payments_transfer_instruction: payout,
  swift_transfer_intention: payout,
  swift_transfer_instruction: payout,
  wire_transfer_intention: payout,
  wire_transfer_instruction: payout,
  ach_decline: payout,
  card_authorization: payout,
  card_decline: payout,
  card_settlement: payout,
  check_decline: payout,
  fee_payment: payout,
  ach_transfer_return: refundedPayout,
  check_transfer_return: refundedPayout,
  swift_transfer_return: refundedPayout,
  // The return of an outgoing wire refunds the payout; it is no pay-in.
  inbound_wire_reversal: refundedPayout,
  ach_transfer_rejection: failedPayout,
  check_transfer_rejection: failedPayout,
  wire_transfer_rejection: failedPayout,
  check_transfer_stop_payment_request: { type: "PAYOUT", posted: "CANCELLED" },

  card_dispute_acceptance: other,
  card_dispute_loss: other,
  internal_source: other,
  user_initiated_hold: other,
};

export const categoryOf = (name: string): Category => kit.rowOf(CATEGORIES, name) ?? other;
