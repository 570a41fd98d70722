import { z } from "@hono/zod-openapi";
import {
  BOOKING_STATES,
  type Booking,
  type BookingFailure,
  type BookingRules,
  type BookingScope,
} from "#modules/payments/bookings/booking.ts";
import { PAYMENT_STATUSES, type PaymentStatus } from "#modules/payments/core/enums.ts";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import { ConnectorIdInput, UuidInput } from "#modules/payments/http/path-ids.ts";
import type { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import { COUNTED_MAX } from "#modules/payments/mirror/adjustments.ts";
import type { WantedScope } from "#modules/payments/mirror/create.ts";
import { BOOKING_VARIABLES } from "#modules/payments/mirror/variables.ts";
import { TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

/** Longest name of a ledger, a schema version or a template, in characters. */
const NAME_LENGTH_MAX = 255;

const Name = z.string().min(1).max(NAME_LENGTH_MAX);
const Templates = z.partialRecord(z.enum(PAYMENT_STATUSES), Name).openapi({
  type: "object",
  additionalProperties: { type: "string" },
  description: "Templates for single statuses of adjustments, by status.",
  example: { DISPUTE: "dispute" },
});

export const BookingRequest = z
  .object({
    connectorID: ConnectorIdInput.optional().openapi({
      description: "The connector whose payments are booked; absent for a pool.",
    }),
    poolID: UuidInput.optional().openapi({
      description:
        "The pool whose payments are booked: those from and to the accounts that it has at the time of booking. Of a dynamic pool, the first thousand accounts count.",
    }),
    ledger: Name,
    schemaVersion: Name.openapi({
      description: "The version of the ledger's schema that contains the templates.",
    }),
    template: Name.openapi({ description: "The transaction template that books an adjustment." }),
    templates: Templates.optional(),
  })
  .refine(
    ({ connectorID, poolID }) => (connectorID === undefined) !== (poolID === undefined),
    "needs either a connectorID or a poolID",
  )
  .openapi("PaymentBookingRequest");

export const RebuildRequest = z
  .object({
    ledger: Name.openapi({ description: "A ledger without transactions." }),
    schemaVersion: Name.optional(),
    template: Name.optional(),
    templates: Templates.optional(),
  })
  .openapi("PaymentBookingRebuildRequest");

export const BookingResponse = z
  .object({
    id: z.string(),
    connectorID: z.string().optional(),
    poolID: z.string().optional(),
    ledger: z.string(),
    schemaVersion: z.string(),
    template: z.string(),
    templates: z.record(z.string(), z.string()),
    state: z.enum(BOOKING_STATES),
    booked: z.int().openapi({ description: "The number of booked adjustments." }),
    failed: z
      .int()
      .openapi({ description: "The number of adjustments that the ledger has refused." }),
    pending: z.int().openapi({
      description: `The number of adjustments that are still to be booked among the next ${COUNTED_MAX} of all payments; 0 once all are booked.`,
    }),
    error: z.string().optional().openapi({
      description: "The error for which the booking waits; absent if it does not wait.",
    }),
    createdAt: TimestampOutput,
    updatedAt: TimestampOutput,
    lastBookedAt: TimestampOutput.optional(),
  })
  .openapi("PaymentBooking");

export const BookingFailureResponse = z
  .object({
    paymentID: z.string(),
    adjustmentID: z.string(),
    message: z.string(),
    details: z.string().optional().openapi({ description: "Positions of errors in the script." }),
    createdAt: TimestampOutput,
  })
  .openapi("PaymentBookingFailure");

/** The variables that a template may declare, for the API document. */
export const VARIABLES_TEXT = Object.entries(BOOKING_VARIABLES)
  .map(([name, { type, meaning }]) => `- \`${type} $${name}\`: ${meaning}`)
  .join("\n");

type BookingInput = z.output<typeof BookingRequest>;
type RulesInput = Omit<BookingInput, "connectorID" | "poolID">;

/** The scope of a request, which has exactly one of the two ids. */
export const toScope = ({
  connectorID,
  poolID,
}: Pick<BookingInput, "connectorID" | "poolID">): WantedScope =>
  connectorID === undefined ? { poolId: poolID ?? "" } : { connector: connectorID };

export const toRules = ({ templates = {}, ...rest }: RulesInput): BookingRules => ({
  ...rest,
  templates: toTemplates(templates),
});

export const toRebuildRules = ({
  ledger,
  schemaVersion,
  template,
  templates,
}: z.output<typeof RebuildRequest>) => ({
  ledger,
  ...(schemaVersion === undefined ? {} : { schemaVersion }),
  ...(template === undefined ? {} : { template }),
  ...(templates === undefined ? {} : { templates: toTemplates(templates) }),
});

/** Leaves out members that are undefined, which the type of the request allows. */
const toTemplates = (
  templates: Readonly<Partial<Record<PaymentStatus, string | undefined>>>,
): BookingRules["templates"] =>
  Object.fromEntries(Object.entries(templates).filter(([, name]) => name !== undefined));

export function toBookingView(
  booking: Booking,
  { directory, pending }: { readonly directory: ConnectorDirectory; readonly pending: number },
): z.input<typeof BookingResponse> {
  return {
    id: booking.id,
    ...scopeView(booking.scope, directory),
    ledger: booking.rules.ledger,
    schemaVersion: booking.rules.schemaVersion,
    template: booking.rules.template,
    templates: { ...booking.rules.templates },
    state: booking.state,
    booked: booking.booked,
    failed: booking.failed,
    pending,
    ...(booking.error === undefined ? {} : { error: booking.error }),
    createdAt: formatTimestamp(booking.createdAt),
    updatedAt: formatTimestamp(booking.updatedAt),
    ...optionalTimestamp("lastBookedAt", booking.lastBookedAt),
  };
}

function scopeView(scope: BookingScope, directory: ConnectorDirectory) {
  if ("poolId" in scope) return { poolID: scope.poolId };
  const connector = directory.byKey(scope.connectorKey);
  return connector === undefined ? {} : { connectorID: encodeConnectorId(connector.id) };
}

export const toBookingFailureView = ({
  paymentId,
  adjustmentId,
  message,
  details,
  createdAt,
}: BookingFailure): z.input<typeof BookingFailureResponse> => ({
  paymentID: paymentId,
  adjustmentID: adjustmentId,
  message,
  ...(details === undefined ? {} : { details }),
  createdAt: formatTimestamp(createdAt),
});
