import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { ClearingReportResponse, toClearingView } from "./clearing-schemas.ts";
import { type ClearingReport, clearingReport } from "#modules/reconciliation/clearing/report.ts";
import { actingOf } from "#modules/reconciliation/http/acting.ts";
import { toCsv } from "#modules/reconciliation/http/csv.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import {
  type AppEnv,
  endpoint,
  errors,
  ok,
  operations,
  type Registration,
  registration,
  texts,
} from "#platform/http/index.ts";
import { formatTimestamp, parseTimestamp } from "#platform/time.ts";

const ClearingQuery = z.object({
  ledger: z.string().min(1).openapi({ example: "main" }),
  account: z.string().min(1).openapi({
    description:
      "An account, or a pattern of accounts as in filters of the ledger: `clearing:` stands for all accounts one level below, `clearing:...` for all levels.",
    example: "clearing:",
  }),
  at: z.string().optional().openapi({
    format: "date-time",
    description: "The moment as of which the ledger is read, by effective dates. By default, now.",
  }),
  by: z.string().max(256).optional().openapi({
    description:
      "A key in the metadata of transactions. Movements with the same value clear each other. Without it, and for transactions without it, what came in first is cleared first.",
  }),
});

const TAGS = ["Clearing"];

async function reportOf({
  query,
  context,
  c,
}: {
  readonly query: z.output<typeof ClearingQuery>;
  readonly context: ServiceContext;
  readonly c: Context<AppEnv>;
}): Promise<ClearingReport> {
  const now = context.clock();
  const at = query.at === undefined ? now : parseTimestamp(query.at);
  if (at === undefined)
    throw new AppError("VALIDATION", "at: expected an RFC 3339 timestamp with a zone");
  if (at > now) throw new AppError("VALIDATION", "at must not be in the future");
  return clearingReport(await actingOf(c, context), {
    ledger: query.ledger,
    account: query.account,
    at,
    itemKey: query.by,
  });
}

const clearing = operations({
  path: "/reconciliation/clearing",
  tags: TAGS,
  scope: "reconciliation",
});

const registerClearingCsv: Registration = (app) =>
  endpoint(
    app,
    {
      method: "get",
      path: "/reconciliation/clearing.csv",
      operationId: "florinExportClearing",
      summary: "Export the open items of clearing accounts as CSV",
      description:
        "All open items, the oldest first. Texts that a spreadsheet would run as formulas are escaped.",
      tags: TAGS,
      scope: "reconciliation:read",
      query: ClearingQuery,
      responses: { 200: texts("The open items", "text/csv; charset=utf-8"), ...errors(404) },
    },
    async (request) => {
      const report = await reportOf(request);
      return { status: 200, texts: once(itemsCsv(report)) };
    },
  );

async function* once(text: string): AsyncGenerator<string, void> {
  yield text;
}

const itemsCsv = ({ ledger, items }: ClearingReport): string =>
  toCsv(items, {
    ledger: () => ledger,
    account: ({ account }) => account,
    asset: ({ asset }) => asset,
    open: ({ open }) => open,
    amount: ({ amount }) => amount,
    days: ({ days }) => days,
    timestamp: ({ timestamp }) => formatTimestamp(timestamp),
    transaction: ({ transactionID }) => transactionID,
    reference: ({ reference }) => reference,
    item: ({ item }) => item,
  });

export const registerClearing = registration(
  clearing.get("", {
    operationId: "florinReadClearing",
    summary: "Report what is left on clearing accounts",
    description:
      "Accounts that ought to go to zero, with their open items by age, and the share that has been cleared. The open items of an asset add up to its balance.",
    query: ClearingQuery,
    answer: ok.data("The report", ClearingReportResponse, toClearingView),
    errors: [404],
    handle: reportOf,
  }),
  registerClearingCsv,
);
