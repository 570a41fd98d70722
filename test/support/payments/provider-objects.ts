import type {
  ProviderAccount,
  ProviderBalance,
  ProviderPayment,
} from "#modules/payments/connectors/provider-objects.ts";
import { fromMillis, type Timestamp } from "#platform/time.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");

/** A time `seconds` after the start of the test. */
export const at = (seconds: number): Timestamp => fromMillis(START_MS + seconds * 1000);

export const account = (
  reference: string,
  more: Partial<ProviderAccount> = {},
): ProviderAccount => ({
  reference,
  createdAt: at(0),
  metadata: {},
  raw: `{"id":"${reference}"}`,
  ...more,
});

export const balance = (amount: bigint, seconds: number, asset = "EUR/2"): ProviderBalance => ({
  accountReference: "acc",
  createdAt: at(seconds),
  amount,
  asset,
});

export const payment = (
  reference: string,
  more: Partial<ProviderPayment> = {},
): ProviderPayment => ({
  reference,
  createdAt: at(0),
  type: "PAY-IN",
  amount: 100n,
  asset: "EUR/2",
  scheme: "CARD_VISA",
  status: "SUCCEEDED",
  metadata: {},
  raw: `{"id":"${reference}"}`,
  ...more,
});
