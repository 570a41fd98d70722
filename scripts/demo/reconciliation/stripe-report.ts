import { decimalOf } from "./money.ts";

/** A movement of the balance at Stripe. Amounts are in cents; the balance changes by `gross - fee`. */
export interface StripeMovement {
  readonly category: "charge" | "refund" | "payout";
  /** The id of the charge, refund or payout. */
  readonly source: string;
  readonly paymentIntent?: string;
  /** The id of the payout that settles the movement. */
  readonly payout: string;
  readonly gross: bigint;
  readonly fee: bigint;
  /** `YYYY-MM-DD hh:mm:ss` in UTC, as the report has it. */
  readonly createdAt: string;
  readonly description: string;
}

/** Writes movements as Stripe's itemised report "Balance change from activity", with the column names of its documentation. */
export function stripeReport(movements: readonly StripeMovement[]): string {
  const rows = movements.map((movement, index) => {
    const { gross, fee } = movement;
    const row: Readonly<Record<(typeof COLUMNS)[number], string>> = {
      balance_transaction_id: `txn_${String(index + 1).padStart(4, "0")}`,
      created_utc: movement.createdAt,
      available_on_utc: movement.createdAt,
      currency: "eur",
      gross: decimalOf(gross),
      fee: decimalOf(fee),
      net: decimalOf(gross - fee),
      reporting_category: movement.category,
      source_id: movement.source,
      description: movement.description,
      automatic_payout_id: movement.payout,
      payment_intent_id: movement.paymentIntent ?? "",
    };
    return COLUMNS.map((name) => quoted(row[name])).join(",");
  });
  return `${[COLUMNS.join(","), ...rows].join("\n")}\n`;
}

const COLUMNS = [
  "balance_transaction_id",
  "created_utc",
  "available_on_utc",
  "currency",
  "gross",
  "fee",
  "net",
  "reporting_category",
  "source_id",
  "description",
  "automatic_payout_id",
  "payment_intent_id",
] as const;

/** A field by RFC 4180. */
const quoted = (field: string): string =>
  /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
