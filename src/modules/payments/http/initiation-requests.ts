import { z } from "@hono/zod-openapi";
import { AssetInput, OptionalMetadata, ReferenceInput, RequiredText } from "./fields.ts";
import { AccountIdInput, ConnectorIdInput } from "./path-ids.ts";
import { INITIATION_TYPES } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import type { NewInitiation } from "#modules/payments/initiations/create.ts";
import { AppError } from "#platform/errors.ts";
import { BigIntegerInput, TimestampInput } from "#platform/http/index.ts";
import { fromMillis, type Timestamp, toMillis, ZERO_TIMESTAMP } from "#platform/time.ts";

/** Longest description of an initiation or reversal, in characters. */

const DESCRIPTION_LENGTH_MAX = 10_000;
/** Most digits of an amount, far more than any real amount has. */
const AMOUNT_DIGITS_MAX = 80;

const Description = z
  .string()
  .refine(
    (text) => Array.from(text).length <= DESCRIPTION_LENGTH_MAX,
    "must be at maximum 10,000 characters in length",
  )
  .nullish()
  .transform((text) => text ?? "")
  .openapi({ type: "string", maxLength: DESCRIPTION_LENGTH_MAX });

const PositiveAmount = BigIntegerInput.refine((amount) => amount > 0n, "must be greater than 0")
  .refine(
    (amount) => amount.toString().length <= AMOUNT_DIGITS_MAX,
    `must have at most ${AMOUNT_DIGITS_MAX} digits`,
  )
  .openapi({ type: "integer", format: "bigint", minimum: 1 });

const OptionalAccountId = z
  .union([z.literal("").transform(() => undefined), AccountIdInput])
  .nullish()
  .transform((id) => id ?? undefined)
  .openapi({ type: "string" });

const OptionalTimestamp = z
  .union([z.literal("").transform(() => undefined), TimestampInput])
  .nullish()
  .transform((timestamp) => timestamp ?? undefined)
  .openapi({ type: "string", format: "date-time" });

/** The fields of initiations and reversals that the list of failed requests may show. */
export const RECORDED_FIELDS: readonly string[] = ["reference", "type", "amount", "asset"];

export const InitiationFields = z.object({
  reference: RequiredText,
  scheduledAt: OptionalTimestamp.openapi({
    description: "When the money is sent, once it is approved. The zero time means at once.",
  }),
  connectorID: ConnectorIdInput,
  description: Description,
  type: z.enum(INITIATION_TYPES),
  amount: PositiveAmount,
  asset: AssetInput,
  sourceAccountID: OptionalAccountId,
  destinationAccountID: AccountIdInput,
  metadata: OptionalMetadata,
});

export const ReversalFields = z.object({
  reference: ReferenceInput,
  description: Description,
  amount: PositiveAmount,
  asset: AssetInput,
  metadata: OptionalMetadata,
});

/**
 * How far a time may be in the past and still mean now, in milliseconds. Clients send their own time, which is a little
 * earlier on arrival.
 */
const LATENESS_MS = 60_000;

/** Whether a time is too far in the past to mean now. */
const isPast = (scheduledAt: Timestamp | undefined, now: Timestamp): boolean =>
  scheduledAt !== undefined &&
  scheduledAt !== ZERO_TIMESTAMP &&
  scheduledAt < fromMillis(toMillis(now) - LATENESS_MS);

/** The time at which an initiation is sent; undefined for one that is sent as soon as it is approved. */
const laterThan = (now: Timestamp, scheduledAt: Timestamp | undefined): Timestamp | undefined =>
  scheduledAt === undefined || scheduledAt <= now ? undefined : scheduledAt;

/** The initiation of a request in version 3. Throws `VALIDATION` for a time in the past. */
export function toNewInitiation(
  body: z.output<typeof InitiationFields>,
  now: Timestamp,
): NewInitiation {
  if (isPast(body.scheduledAt, now)) {
    throw new AppError(
      "VALIDATION",
      "body 'scheduledAt': must be greater than the current Date & Time",
    );
  }
  return toNewInitiationV1(body, now);
}

/** The initiation of a request in version 1, in which a time in the past means now. */
export function toNewInitiationV1(
  body: z.output<typeof InitiationFields>,
  now: Timestamp,
): NewInitiation {
  const { reference, description, type, amount, asset, metadata } = body;
  return {
    reference,
    description,
    type,
    amount,
    asset,
    metadata,
    connector: body.connectorID,
    destination: body.destinationAccountID,
    ...given({ source: body.sourceAccountID, scheduledAt: laterThan(now, body.scheduledAt) }),
  };
}
