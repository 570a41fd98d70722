import { z } from "@hono/zod-openapi";
import { ledgerSettings, standardRuntimeOf } from "#modules/ledger/settings.ts";
import { RuntimeRequest } from "#modules/ledger/wire/schemas.ts";
import { type CheckReport, checkScript, LineIndex, type Range } from "#numscript";
import { ok, operations, RangeResponse, registration } from "#platform/http/index.ts";

/** Largest body of a check, in bytes: the longest script with its characters escaped. */
const CHECK_BYTES_MAX = 1024 * 1024;

const CheckRequest = z
  .object({
    plain: z.string().openapi({ description: "Source text in Numscript" }),
    runtime: RuntimeRequest,
  })
  .openapi("ScriptCheckRequest");

const CheckResponse = z
  .object({
    valid: z.boolean().openapi({ description: "Whether there is no error; warnings are fine." }),
    runtime: z.string(),
    diagnostics: z.array(
      z.object({
        code: z.string(),
        severity: z.enum(["error", "warning"]),
        message: z.string(),
        range: RangeResponse,
      }),
    ),
    variables: z.array(
      z.object({
        name: z.string(),
        type: z.string(),
        range: RangeResponse,
        typeRange: RangeResponse,
        hasOrigin: z.boolean(),
        isUsed: z.boolean(),
        references: z.array(RangeResponse),
      }),
    ),
    undeclaredVariables: z.array(
      z.object({ name: z.string(), type: z.string().optional(), ranges: z.array(RangeResponse) }),
    ),
    hovers: z.array(
      z.object({
        range: RangeResponse,
        contents: z.string().openapi({ description: "Markdown" }),
      }),
    ),
    accounts: z.array(
      z.object({
        address: z.string(),
        roles: z.array(z.enum(["source", "destination", "metadata", "balance", "save"])),
        ranges: z.array(RangeResponse),
      }),
    ),
    assets: z.array(z.object({ asset: z.string(), ranges: z.array(RangeResponse) })),
    features: z.array(
      z.object({ name: z.string(), isDeclared: z.boolean(), ranges: z.array(RangeResponse) }),
    ),
    neededVariables: z.record(z.string(), z.string()),
  })
  .openapi("ScriptCheck");

/** A report with lines and characters in place of offsets. */
function toPositions(report: CheckReport, lines: LineIndex) {
  const at = (range: Range) => lines.lspRangeOf(range);
  const all = (ranges: readonly Range[]) => ranges.map(at);
  return {
    diagnostics: report.diagnostics.map(({ code, severity, message, range }) => ({
      code,
      severity,
      message,
      range: at(range),
    })),
    variables: report.variables.map((variable) => ({
      ...variable,
      range: at(variable.range),
      typeRange: at(variable.typeRange),
      references: all(variable.references),
    })),
    undeclaredVariables: report.undeclaredVariables.map(({ name, type, ranges }) => ({
      name,
      ...(type === undefined ? {} : { type }),
      ranges: all(ranges),
    })),
    hovers: report.hovers.map(({ range, contents }) => ({ range: at(range), contents })),
    accounts: report.accounts.map(({ address, roles, ranges }) => ({
      address,
      roles: [...roles],
      ranges: all(ranges),
    })),
    assets: report.assets.map(({ asset, ranges }) => ({ asset, ranges: all(ranges) })),
    features: report.features.map(({ name, isDeclared, ranges }) => ({
      name,
      isDeclared,
      ranges: all(ranges),
    })),
    neededVariables: { ...report.neededVariables },
  };
}

const numscript = operations({ tags: ["Numscript"], scope: "ledger" });

export const registerNumscript = registration(
  numscript.post("/numscript/check", {
    operationId: "florinCheckScript",
    work: "script",
    summary: "Check a script for an editor",
    description:
      "The answer lists every mistake and likely mistake with its range, the texts to show where the pointer rests, and the accounts and assets that the script names. Nothing is executed.",
    scope: "ledger:read",
    honoursLedgers: true,
    body: CheckRequest,
    bodyBytesMax: CHECK_BYTES_MAX,
    answer: ok.data("What the check found", CheckResponse),
    handle: ({ body, c }) => {
      const standard = standardRuntimeOf(ledgerSettings.of(c.env));
      const runtime = body.runtime === "" ? standard : (body.runtime ?? standard);
      const report = checkScript(body.plain, runtime);
      const valid = report.diagnostics.every(({ severity }) => severity !== "error");
      const lines = new LineIndex(body.plain);
      return { valid, runtime, ...toPositions(report, lines) };
    },
  }),
);
