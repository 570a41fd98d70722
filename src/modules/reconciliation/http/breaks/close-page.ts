import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import type { CloseReport } from "#modules/reconciliation/closing/report.ts";
import { amountText } from "#modules/reconciliation/core/closing/amount-text.ts";
import type {
  AssetClose,
  ClassSum,
  LineSum,
  OpenClass,
} from "#modules/reconciliation/core/closing/close-report.ts";
import { dateOf } from "#modules/reconciliation/core/matching/days.ts";
import { pageHeaders } from "#platform/http/pages/page-headers.ts";
import { formatTimestamp } from "#platform/time.ts";

/** What a class of open lines means, for somebody who reads the printed page only. */
const MEANINGS: Readonly<Record<OpenClass, string>> = {
  missing_left: "missing on the left",
  missing_right: "missing on the right",
  timing: "partner may still come",
  amount: "amount differs",
  duplicate: "doubled",
  currency: "currency differs",
  fee: "fee not booked",
  unknown: "several combinations fit",
  unclassified: "not looked at yet",
};

const STYLE = `
  @page { size: A4; margin: 18mm; }
  body { font: 10pt/1.45 system-ui, sans-serif; color: #111; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 16pt; margin: 0 0 .25rem; } h2 { font-size: 12pt; margin: 1.75rem 0 .5rem; }
  p { margin: 0 0 .25rem; } .small { color: #555; font-size: 9pt; }
  table { width: 100%; border-collapse: collapse; break-inside: avoid; font-variant-numeric: tabular-nums; }
  th, td { padding: .2rem .4rem; text-align: right; border-bottom: 1px solid #ddd; vertical-align: top; }
  th:first-child, td:first-child { text-align: left; } thead th { border-bottom: 1px solid #111; }
  .sub td:first-child { padding-left: 1.25rem; color: #333; } .sum td { font-weight: 600; border-top: 1px solid #111; }
`;

/** The headers of the page: it may use its own style, and nothing else. */
export const CLOSE_PAGE_HEADERS: Readonly<Record<string, string>> = pageHeaders({
  "style-src": [`'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`],
});

/** The close of a period as one page to print. It needs no other file, and runs no script. */
export const closePage = async (report: CloseReport): Promise<string> =>
  String(
    await html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <title>${report.name}: ${dateOf(report.from)} to ${dateOf(report.to)}</title>
          ${raw(`<style>${STYLE}</style>`)}
        </head>
        <body>
          <h1>${report.name}</h1>
          <p>Close of ${dateOf(report.from)} to ${dateOf(report.to)}</p>
          <p class="small">
            Left: ${report.left.name}. Right: ${report.right.name}. Made at
            ${formatTimestamp(report.at)}.
          </p>
          ${report.assets.length === 0 ? html`<p>No line lies in this period or before it.</p>` : ""}
          ${report.assets.map(assetSection)}
        </body>
      </html>`,
  );

function assetSection({ asset, left, right, ...differences }: AssetClose) {
  const text = (amount: bigint) => amountText(amount, asset);
  const row = (label: string, of: readonly [LineSum, LineSum], kind = "") =>
    html`<tr class="${kind}">
      <td>${label}</td>
      ${of.map(
        ({ amount, lines }) =>
          html`<td>${text(amount)}</td>
            <td>${lines}</td>`,
      )}
    </tr>`;
  const classes = (one: readonly ClassSum[], other: readonly ClassSum[]) =>
    [...new Set([...one, ...other].map((sum) => sum.class))].map((name) =>
      row(MEANINGS[name], [sumOf(one, name), sumOf(other, name)], "sub"),
    );
  return html`<h2>${asset}</h2>
    <table>
      <thead>
        <tr>
          <th></th>
          <th>Left</th>
          <th>Lines</th>
          <th>Right</th>
          <th>Lines</th>
        </tr>
      </thead>
      <tbody>
        ${row("Opening", [left.opening, right.opening])}
        ${row("Matched", [left.matched, right.matched])} ${classes(left.open, right.open)}
        ${row("Closing", [left.closing, right.closing], "sum")}
      </tbody>
    </table>
    <table>
      <thead>
        <tr>
          <th>Not matched up to the end</th>
          <th>Left</th>
          <th>Lines</th>
          <th>Right</th>
          <th>Lines</th>
        </tr>
      </thead>
      <tbody>
        ${classes(left.outstanding, right.outstanding)}
      </tbody>
    </table>
    <table>
      <tbody>
        <tr class="sum">
          <td>Left less right</td>
          <td>${text(differences.difference)}</td>
        </tr>
        <tr class="sub">
          <td>by what is not matched</td>
          <td>${text(differences.outstandingDifference)}</td>
        </tr>
        <tr class="sub">
          <td>by fees, tolerances and partners after the end</td>
          <td>${text(differences.matchedDifference)}</td>
        </tr>
      </tbody>
    </table>`;
}

const sumOf = (sums: readonly ClassSum[], name: OpenClass): LineSum =>
  sums.find((sum) => sum.class === name) ?? { lines: 0, amount: 0n };
