import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import type { Timestamp } from "#platform/time.ts";

/** Checks that a time is not in the future. Throws `VALIDATION`, with the name of the field. */
export function requirePast(
  { clock }: Pick<ServiceContext, "clock">,
  field: string,
  timestamp: Timestamp,
): void {
  if (timestamp <= clock()) return;
  const rule = "must be less than or equal to the current Date & Time";
  throw new AppError("VALIDATION", `${field} ${rule}`);
}
