import { z } from "zod";
import * as kit from "#modules/payments/connectors/kit/index.ts";

export const CURRENCIES = new kit.Currencies();

/** A decimal number as an integer and the number of its decimals, with a currency. */
export const TinkAmount = z.object({
  value: z.object({
    unscaledValue: z.string().regex(/^-?\d{1,100}$/),
    scale: z.string().regex(/^-?\d{1,2}$/),
  }),
  currencyCode: kit.Text,
});

/** An amount with its sign, in the decimals of its currency; undefined for an unknown currency. */
export function amountOf({
  value,
  currencyCode,
}: z.output<typeof TinkAmount>): kit.ProviderAmount | undefined {
  const { unscaledValue, scale } = value;
  return CURRENCIES.fromDecimal(toDecimal(unscaledValue, Number(scale)), currencyCode);
}

function toDecimal(unscaled: string, scale: number): string {
  if (scale <= 0) return `${unscaled}${"0".repeat(-scale)}`;
  const isNegative = unscaled.startsWith("-");
  const digits = unscaled.replace("-", "").padStart(scale + 1, "0");
  return `${isNegative ? "-" : ""}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
