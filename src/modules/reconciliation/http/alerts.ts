import { z } from "@hono/zod-openapi";
import { actingOf } from "./acting.ts";
import { LIST, listing, PageParams, toPage } from "./lists.ts";
import { uuidParam } from "./path-ids.ts";
import type { Alert } from "#modules/reconciliation/alerts/alert.ts";
import {
  accept,
  acknowledge,
  type AlertAction,
  resolve,
  snooze,
  unsnooze,
} from "#modules/reconciliation/alerts/change.ts";
import { getAlert, listAlertEvents, listAlerts } from "#modules/reconciliation/alerts/list.ts";
import {
  AlertEventResponse,
  AlertResponse,
  toAlertEventView,
  toAlertView,
} from "#modules/reconciliation/alerts/view.ts";
import type { ServiceContext } from "#platform/context.ts";
import {
  ok,
  operations,
  registration,
  type Registration,
  TimestampInput,
} from "#platform/http/index.ts";

const alerts = operations({ path: "/alerts", tags: ["Alerts"], scope: "reconciliation" });
const Params = z.object({ alertID: uuidParam() });

const text = (description: string) =>
  z
    .string()
    .nullish()
    .transform((value) => value ?? "")
    .openapi({ type: "string", description });

const By = z.object({ by: text("The name of the person who does it. Required.") });
const ByWithNote = By.extend({ note: text("Any text.") });

const ONE = "The alert";
const RESOLVED = "An alert that is resolved already is not found.";

/** An operation that changes an alert. */
const action = <B extends typeof By>(
  verb: string,
  spec: {
    readonly summary: string;
    readonly description: string;
    readonly body: B;
    readonly change: (
      context: ServiceContext,
      input: Pick<AlertAction, "alertId"> & z.output<B>,
    ) => Promise<Alert>;
  },
): Registration =>
  alerts.post(`/{alertID}/${verb}`, {
    operationId: `${verb}Alert`,
    summary: spec.summary,
    description: spec.description,
    params: Params,
    body: spec.body,
    bodyFailure: "MISSING_OR_INVALID_BODY",
    answer: ok.data(ONE, AlertResponse, toAlertView),
    errors: [404, 409],
    handle: async ({ params, body, context, c }) =>
      spec.change(await actingOf(c, context), {
        ...body,
        alertId: params.alertID,
      }),
  });

export const registerAlerts = registration(
  alerts.get("", {
    operationId: "listAlerts",
    summary: "List alerts",
    description:
      "Filters: `id`, `status`, `severity`, `fingerprint`, `ruleID`, `periodID`, `firstSeenAt` and `lastSeenAt`. A period is fine if it has no alert that is `OPEN` or `ACKNOWLEDGED`.",
    ...LIST,
    answer: ok.page("A page of alerts, last seen first", AlertResponse, toAlertView),
    handle: listing("alerts", listAlerts, "last_seen_at"),
  }),
  alerts.get("/{alertID}", {
    operationId: "getAlert",
    summary: "Read an alert",
    params: Params,
    answer: ok.data(ONE, AlertResponse, toAlertView),
    errors: [404],
    handle: async ({ params, context, c }) => getAlert(await actingOf(c, context), params.alertID),
  }),
  alerts.get("/{alertID}/events", {
    operationId: "listAlertEvents",
    summary: "Show the history of an alert",
    params: Params,
    query: PageParams,
    answer: ok.page("A page of events, the newest first", AlertEventResponse, toAlertEventView),
    errors: [404],
    handle: async ({ params, query, context, c }) => {
      const page = toPage(`alerts/${params.alertID}/events`, { query, c }, "at");
      return listAlertEvents(await actingOf(c, context), params.alertID, page);
    },
  }),
  action("ack", {
    summary: "Say that somebody works on an alert",
    description: `The first one who says so stays. A check that fails again opens the alert again. ${RESOLVED}`,
    body: ByWithNote.openapi("AckAlertRequest"),
    change: acknowledge,
  }),
  action("resolve", {
    summary: "Resolve an alert by bookings",
    description: `A check that fails again in the same period opens the alert again. ${RESOLVED}`,
    body: ByWithNote.extend({
      transactionRefs: z
        .array(z.string())
        .nullish()
        .transform((refs) => refs ?? [])
        .openapi({
          type: "array",
          items: { type: "string" },
          description: "References of the transactions that set it right.",
        }),
    }).openapi("ResolveAlertRequest"),
    change: resolve,
  }),
  action("accept", {
    summary: "Accept what an alert says",
    description: `The note is required. The evidence is kept with the acceptance. ${RESOLVED}`,
    body: ByWithNote.openapi("AcceptAlertRequest"),
    change: accept,
  }),
  action("snooze", {
    summary: "Silence an alert for a time",
    description: `Failures are still counted and kept in the history, and nothing of them is published. The first failure after the time is published. ${RESOLVED}`,
    body: ByWithNote.extend({
      until: TimestampInput.nullish()
        .transform((until) => until ?? undefined)
        .openapi({ type: "string", format: "date-time", description: "In the future. Required." }),
    }).openapi("SnoozeAlertRequest"),
    change: snooze,
  }),
  action("unsnooze", {
    summary: "End the silence of an alert",
    description: "An alert that is not silenced stays as it is.",
    body: By.openapi("UnsnoozeAlertRequest"),
    change: (context, input) => unsnooze(context, { ...input, note: "" }),
  }),
);
