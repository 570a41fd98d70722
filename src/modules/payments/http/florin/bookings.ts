import { type OpenAPIHono, z } from "@hono/zod-openapi";
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
import { FilterBody, ListQuery, toListQuery } from "#modules/payments/http/lists.ts";
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
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { ListParams, toPageQuery } from "#platform/http/listing.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Bookings"];
const Params = z.object({ bookingID: uuidParam("booking") });
const PATH = "/payments/bookings/{bookingID}";

/** Registers Florin's own operations on bookings, below `/api/florin/v1`. */
export function registerBookings(app: OpenAPIHono<AppEnv>): void {
  registerCreate(app);
  registerList(app);
  registerOne(app);
  registerState(app, { verb: "pause", state: "PAUSED", operationId: "florinPauseBooking" });
  registerState(app, { verb: "resume", state: "RUNNING", operationId: "florinResumeBooking" });
  registerRebuild(app);
  registerFailures(app);
}

/** Checks that the token may write ledgers, because a booking writes into one. */
const assertWritesLedgers = (c: Context<AppEnv>) =>
  deploymentOf(c).authenticate(c.req.raw, "ledger:write");

function registerCreate(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/payments/bookings",
      operationId: "florinCreateBooking",
      summary: "Book the payments of a connector or a pool in a ledger",
      description: `Every payment and each of its later adjustments, from the first one on, is booked once and in order, by a transaction template of the ledger's schema. The token needs \`ledger:write\`, too. A template declares those of these variables that it uses:\n\n${VARIABLES_TEXT}`,
      tags: TAGS,
      scope: "payments:write",
      body: BookingRequest,
      responses: { 201: json("The booking", dataOf(BookingResponse)), ...errors(404) },
    },
    async ({ body: { connectorID, poolID, ...rules }, c }) => {
      await assertWritesLedgers(c);
      const input = { scope: toScope({ connectorID, poolID }), rules: toRules(rules) };
      const booking = await createBooking(c.var.context, input);
      return { status: 201, body: { data: await viewOf(c.var.context, booking) } };
    },
  );
}

function registerList(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/payments/bookings",
      operationId: "florinListBookings",
      summary: "List bookings",
      description: "Filters: `id`, `ledger`, `state`.",
      tags: TAGS,
      scope: "payments:read",
      query: ListQuery,
      body: FilterBody,
      responses: { 200: json("A page of bookings", cursorOf(BookingResponse)) },
    },
    async ({ query, body, c }) => {
      const context = c.get("context");
      const { settings } = deploymentOf(c);
      const page = await listBookings(context, toListQuery("bookings", { query, body, settings }));
      const directory = await ConnectorDirectory.read(context);
      const views = page.data.map((booking) => viewOf(context, booking, directory));
      const data = await Promise.all(views);
      return { status: 200, body: toCursorView({ ...page, data }) };
    },
  );
}

function registerOne(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: PATH,
      operationId: "florinGetBooking",
      summary: "Read a booking with its progress",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      responses: { 200: json("The booking", dataOf(BookingResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const booking = await getBooking(c.var.context, params.bookingID);
      return { status: 200, body: { data: await viewOf(c.var.context, booking) } };
    },
  );
  endpoint(
    app,
    {
      method: "delete",
      path: PATH,
      operationId: "florinDeleteBooking",
      summary: "End a booking",
      description: "Its transactions stay in the ledger.",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      responses: { 204: empty("Ended"), ...errors(404) },
    },
    async ({ params, c }) => {
      await assertWritesLedgers(c);
      await deleteBooking(c.var.context, params.bookingID);
      return { status: 204 };
    },
  );
}

function registerState(
  app: OpenAPIHono<AppEnv>,
  { verb, state, operationId }: { verb: string; state: Booking["state"]; operationId: string },
): void {
  endpoint(
    app,
    {
      method: "post",
      path: `${PATH}/${verb}`,
      operationId,
      summary: verb === "pause" ? "Pause a booking" : "Resume a booking",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      responses: { 200: json("The booking", dataOf(BookingResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      await assertWritesLedgers(c);
      const booking = await setBookingState(c.var.context, { id: params.bookingID, state });
      return { status: 200, body: { data: await viewOf(c.var.context, booking) } };
    },
  );
}

function registerRebuild(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: `${PATH}/rebuild`,
      operationId: "florinRebuildBooking",
      summary: "Book all payments again, in an empty ledger",
      description:
        "The same payments in the same order make the same transactions. Transactions in the former ledger stay. Rules that are not given stay as they are.",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      body: RebuildRequest,
      responses: { 200: json("The booking", dataOf(BookingResponse)), ...errors(404) },
    },
    async ({ params, body, c }) => {
      await assertWritesLedgers(c);
      const input = { id: params.bookingID, rules: toRebuildRules(body) };
      const booking = await rebuildBooking(c.var.context, input);
      return { status: 200, body: { data: await viewOf(c.var.context, booking) } };
    },
  );
}

function registerFailures(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: `${PATH}/failures`,
      operationId: "florinListBookingFailures",
      summary: "List the adjustments that a ledger has refused to book",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      query: ListParams.omit({ sort: true }),
      responses: {
        200: json("A page of failures", cursorOf(BookingFailureResponse)),
        ...errors(404),
      },
    },
    async ({ params, query, c }) => {
      const booking = await getBooking(c.var.context, params.bookingID);
      const rules = {
        list: `bookings/${booking.id}/failures`,
        columns: { id: "integer" },
        column: "id",
        order: "asc",
      } as const;
      const wanted = toPageQuery(query, rules, deploymentOf(c).settings);
      const page = await listBookingFailures(c.var.context, booking, wanted);
      return { status: 200, body: toCursorView(mapPage(page, toBookingFailureView)) };
    },
  );
}

async function viewOf(context: ServiceContext, booking: Booking, known?: ConnectorDirectory) {
  const directory = known ?? (await ConnectorDirectory.read(context));
  const payments = await paymentsOf(context, booking.scope, directory);
  const { position } = booking;
  const pending =
    payments === undefined ? 0 : await countAfter(databaseOf(context.env), { payments, position });
  return toBookingView(booking, { directory, pending });
}
