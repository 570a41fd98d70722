import { invalidFormat } from "./chart.ts";
import type { Money } from "./scripts.ts";
import { AppError } from "#platform/errors.ts";

const ASSET = /^[A-Z][A-Z0-9]{0,16}(?:_[A-Z]{1,16})?(?:\/[0-9]{1,6})?$/;

/** Throws `VALIDATION` for a negative amount, and for a text that is no asset. */
export function assertMoney({ amount, asset }: Money): void {
  if (amount < 0n) throw new AppError("VALIDATION", "negative amount provided");
  if (!ASSET.test(asset)) throw invalidFormat(asset);
}
