import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { CLOSE_PAGE_HEADERS, closePage } from "./close-page.ts";
import { CloseReportResponse, toCloseView } from "./close-schemas.ts";
import { type CloseReport, closeReport } from "#modules/reconciliation/closing/report.ts";
import { decimalText } from "#modules/reconciliation/core/closing/amount-text.ts";
import type { LineSum, SideClose } from "#modules/reconciliation/core/closing/close-report.ts";
import { dateOf, dayNumberOf, dayOf } from "#modules/reconciliation/core/matching/days.ts";
import { actingOf } from "#modules/reconciliation/http/acting.ts";
import { toCsv } from "#modules/reconciliation/http/csv.ts";
import { MatchingParams } from "#modules/reconciliation/http/matchings/matchings.ts";
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

const PATH = "/reconciliation/matchings/{matchingID}/report";
const TAGS = ["Matchings"];

const date = () => z.string().optional().openapi({ format: "date", example: "2026-03-31" });
const CloseQuery = z.object({ from: date(), to: date() });

async function reportOf({
  params,
  query,
  context,
  c,
}: {
  readonly params: z.output<typeof MatchingParams>;
  readonly query: z.output<typeof CloseQuery>;
  readonly context: ServiceContext;
  readonly c: Context<AppEnv>;
}): Promise<CloseReport> {
  return closeReport(await actingOf(c, context), params.matchingID, {
    from: toDay(query.from, "from"),
    to: toDay(query.to, "to"),
    today: dayNumberOf(context.clock()),
  });
}

function toDay(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const day = dayOf(text);
  if (day === undefined)
    throw new AppError("VALIDATION", `${name}: expected a day such as 2026-03-31`);
  return day;
}

const matchings = operations({ tags: TAGS, scope: "reconciliation", params: MatchingParams });

/** The report as another kind of document. */
const document = (
  suffix: "csv" | "html",
  spec: {
    readonly operationId: string;
    readonly summary: string;
    readonly contentType: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly write: (report: CloseReport) => string | Promise<string>;
  },
): Registration => {
  const { operationId, summary, contentType, headers, write } = spec;
  return (app) =>
    endpoint(
      app,
      {
        method: "get",
        path: `${PATH}.${suffix}`,
        operationId,
        summary,
        tags: TAGS,
        scope: "reconciliation:read",
        params: MatchingParams,
        query: CloseQuery,
        responses: { 200: texts("The report", contentType), ...errors(404, 409) },
      },
      async (request) => {
        const text = await write(await reportOf(request));
        return { status: 200, texts: once(text), ...(headers === undefined ? {} : { headers }) };
      },
    );
};

async function* once(text: string): AsyncGenerator<string, void> {
  yield text;
}

/** A row of the report's table. */
interface CloseRow extends LineSum {
  readonly asset: string;
  readonly side: string;
  readonly item: string;
}

function rowsOf({ assets }: CloseReport): readonly CloseRow[] {
  return assets.flatMap(({ asset, left, right, ...differences }) => {
    const none = { lines: 0, asset, side: "both" };
    return [
      ...sideRows(asset, "left", left),
      ...sideRows(asset, "right", right),
      { ...none, item: "difference", amount: differences.difference },
      {
        ...none,
        item: "difference by what is outstanding",
        amount: differences.outstandingDifference,
      },
      { ...none, item: "difference within matches", amount: differences.matchedDifference },
    ];
  });
}

const sideRows = (asset: string, side: string, close: SideClose): readonly CloseRow[] =>
  (
    [
      ["opening", close.opening],
      ["matched", close.matched],
      ...close.open.map((sum) => [`open: ${sum.class}`, sum] as const),
      ["closing", close.closing],
      ...close.outstanding.map((sum) => [`outstanding: ${sum.class}`, sum] as const),
    ] as const
  ).map(([item, { lines, amount }]) => ({ asset, side, item, lines, amount }));

const closeCsv = (report: CloseReport): string =>
  toCsv(rowsOf(report), {
    matching: () => report.name,
    from: () => dateOf(report.from),
    to: () => dateOf(report.to),
    asset: ({ asset }) => asset,
    side: ({ side }) => side,
    item: ({ item }) => item,
    lines: ({ lines }) => lines,
    amount: ({ amount }) => amount,
    decimal: ({ amount, asset }) => decimalText(amount, asset),
  });

export const registerClose = registration(
  matchings.get(PATH, {
    operationId: "florinReadCloseReport",
    summary: "Report the close of a period",
    description:
      "For each asset and side: what came before the period, what is matched, what is open by class, and what is left, each exactly; and by how much the sides differ, and why. By default, the period of the matching up to today. Answered with 409 while a run works.",
    query: CloseQuery,
    answer: ok.data("The report", CloseReportResponse, toCloseView),
    errors: [404, 409],
    handle: reportOf,
  }),
  document("csv", {
    operationId: "florinExportCloseReport",
    summary: "Export the close of a period as CSV",
    contentType: "text/csv; charset=utf-8",
    write: closeCsv,
  }),
  document("html", {
    operationId: "florinPrintCloseReport",
    summary: "Show the close of a period as a page to print",
    contentType: "text/html; charset=utf-8",
    headers: CLOSE_PAGE_HEADERS,
    write: closePage,
  }),
);
