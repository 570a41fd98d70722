import { z } from "zod";
import * as kit from "#modules/payments/connectors/kit/index.ts";

export const CURRENCIES = new kit.Currencies();

/** An integer, and how many of its digits stand behind the point. */
export const TinkAmount = z.object({
  value: z.object({
    unscaledValue: z.string().regex(/^-?\d{1,100}$/),
    scale: z.string().regex(/^-?\d{1,2}$/),
  }),
  currencyCode: kit.Text,
});

/** An amount with the decimals of its currency, and its sign; undefined for a currency that is not known. */
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
