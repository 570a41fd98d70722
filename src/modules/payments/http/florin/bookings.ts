import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import {
  BookingFailureResponse,
  BookingRequest,
  BookingResponse,
  RebuildRequest,
  toBookingFailureView,
  toBookingView,
  toRebuildRules,
  toRules,
  toScope,
  VARIABLES_TEXT,
} from "./booking-schemas.ts";
import type { Booking } from "#modules/payments/bookings/booking.ts";
import { listBookingFailures, listBookings } from "#modules/payments/bookings/list.ts";
import { LIST, toListQuery } from "#modules/payments/http/lists.ts";
import { uuidParam } from "#modules/payments/http/path-ids.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import { countAfter } from "#modules/payments/mirror/adjustments.ts";
import {
  deleteBooking,
  getBooking,
  rebuildBooking,
  setBookingState,
} from "#modules/payments/mirror/change.ts";
import { createBooking } from "#modules/payments/mirror/create.ts";
import { paymentsOf } from "#modules/payments/mirror/scope.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import {
  type AppEnv,
  deploymentOf,
  ListParams,
  ok,
  operations,
  registration,
  toPageQuery,
} from "#platform/http/index.ts";

const bookings = operations({ path: "/payments/bookings", tags: ["Bookings"], scope: "payments" });
const Params = z.object({ bookingID: uuidParam("booking") });

/** Checks that the token may write ledgers, because a booking writes into one. */
const assertWritesLedgers = (c: Context<AppEnv>) =>
  deploymentOf(c).authenticate(c.req.raw, "ledger:write");

async function viewOf(context: ServiceContext, booking: Booking, known?: ConnectorDirectory) {
  const directory = known ?? (await ConnectorDirectory.read(context));
  const payments = await paymentsOf(context, booking.scope, directory);
  const { position } = booking;
  const pending =
    payments === undefined ? 0 : await countAfter(databaseOf(context.env), { payments, position });
  return toBookingView(booking, { directory, pending });
}

interface StateChange {
  readonly verb: "pause" | "resume";
  readonly state: Booking["state"];
  readonly operationId: string;
}

const changeState = ({ verb, state, operationId }: StateChange) =>
  bookings.post(`/{bookingID}/${verb}`, {
    operationId,
    summary: verb === "pause" ? "Pause a booking" : "Resume a booking",
    params: Params,
    answer: ok.data("The booking", BookingResponse),
    errors: [404],
    handle: async ({ params, context, c }) => {
      await assertWritesLedgers(c);
      const booking = await setBookingState(context, { id: params.bookingID, state });
      return viewOf(context, booking);
    },
  });

/** Registers Florin's own operations on bookings, below `/api/florin/v1`. */
export const registerBookings = registration(
  bookings.post("", {
    operationId: "florinCreateBooking",
    summary: "Book the payments of a connector or a pool in a ledger",
    description: `Every payment and each of its later adjustments, from the first one on, is booked once and in order, by a transaction template of the ledger's schema. The token needs \`ledger:write\`, too. A template declares those of these variables that it uses:\n\n${VARIABLES_TEXT}`,
    body: BookingRequest,
    answer: ok.created("The booking", BookingResponse),
    errors: [404],
    handle: async ({ body: { connectorID, poolID, ...rules }, context, c }) => {
      await assertWritesLedgers(c);
      const input = { scope: toScope({ connectorID, poolID }), rules: toRules(rules) };
      const booking = await createBooking(context, input);
      return viewOf(context, booking);
    },
  }),
  bookings.get("", {
    operationId: "florinListBookings",
    summary: "List bookings",
    description: "Filters: `id`, `ledger`, `state`.",
    ...LIST,
    answer: ok.page("A page of bookings", BookingResponse),
    handle: async ({ query, body, context, c }) => {
      const page = await listBookings(context, toListQuery("bookings", { query, body, c }));
      const directory = await ConnectorDirectory.read(context);
      const views = page.data.map((booking) => viewOf(context, booking, directory));
      const data = await Promise.all(views);
      return { ...page, data };
    },
  }),
  bookings.get("/{bookingID}", {
    operationId: "florinGetBooking",
    summary: "Read a booking with its progress",
    params: Params,
    answer: ok.data("The booking", BookingResponse),
    errors: [404],
    handle: async ({ params, context }) => {
      const booking = await getBooking(context, params.bookingID);
      return viewOf(context, booking);
    },
  }),
  bookings.delete("/{bookingID}", {
    operationId: "florinDeleteBooking",
    summary: "End a booking",
    description: "Its transactions stay in the ledger.",
    params: Params,
    answer: ok.empty("Ended"),
    errors: [404],
    handle: async ({ params, context, c }) => {
      await assertWritesLedgers(c);
      await deleteBooking(context, params.bookingID);
    },
  }),
  changeState({ verb: "pause", state: "PAUSED", operationId: "florinPauseBooking" }),
  changeState({ verb: "resume", state: "RUNNING", operationId: "florinResumeBooking" }),
  bookings.post("/{bookingID}/rebuild", {
    operationId: "florinRebuildBooking",
    summary: "Book all payments again, in an empty ledger",
    description:
      "The same payments in the same order make the same transactions. Transactions in the former ledger stay. Rules that are not given stay as they are.",
    params: Params,
    body: RebuildRequest,
    answer: ok.data("The booking", BookingResponse),
    errors: [404],
    handle: async ({ params, body, context, c }) => {
      await assertWritesLedgers(c);
      const input = { id: params.bookingID, rules: toRebuildRules(body) };
      const booking = await rebuildBooking(context, input);
      return viewOf(context, booking);
    },
  }),
  bookings.get("/{bookingID}/failures", {
    operationId: "florinListBookingFailures",
    summary: "List the adjustments that a ledger has refused to book",
    params: Params,
    query: ListParams.omit({ sort: true }),
    answer: ok.page("A page of failures", BookingFailureResponse, toBookingFailureView),
    errors: [404],
    handle: async ({ params, query, context, c }) => {
      const booking = await getBooking(context, params.bookingID);
      const rules = {
        list: `bookings/${booking.id}/failures`,
        columns: { id: "integer" },
        column: "id",
        order: "asc",
      } as const;
      const wanted = toPageQuery(query, rules, deploymentOf(c).settings);
      return listBookingFailures(context, booking, wanted);
    },
  }),
);
