import { paymentBookingFailures, paymentBookings } from "./tables.ts";
import { childRows, type OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const BOOKING_ROWS: OwnedRows = {
  table: paymentBookings,
  connectorKey: paymentBookings.connectorKey,
  children: [childRows(paymentBookingFailures, paymentBookingFailures.bookingKey)],
};
