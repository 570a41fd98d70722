import { z } from "@hono/zod-openapi";
import { checkExpression, type ExpressionReport, lspRanges } from "#expr";
import { EXPRESSION_FUNCTIONS, EXPRESSION_NAMES } from "#modules/orchestration/core/expressions.ts";
import { ok, operations, RangeResponse, registration } from "#platform/http/index.ts";

/** Largest body of a check, in bytes: the longest expression with its characters escaped. */
const CHECK_BYTES_MAX = 256 * 1024;

const CheckRequest = z
  .object({
    plain: z.string().openapi({ description: "Source text of the expression" }),
    use: z.enum(["filter", "variable"]).default("filter").openapi({
      description: "Whether it decides if a trigger fires, or gives the value of a variable.",
    }),
  })
  .openapi("ExpressionCheckRequest");

const CheckResponse = z
  .object({
    valid: z.boolean().openapi({ description: "Whether there is no error; warnings are fine." }),
    diagnostics: z.array(
      z.object({
        code: z.string(),
        severity: z.enum(["error", "warning"]),
        message: z.string(),
        range: RangeResponse,
      }),
    ),
    paths: z
      .array(z.object({ path: z.string(), ranges: z.array(RangeResponse) }))
      .openapi({ description: "What the expression reads, such as `event.metadata.order`." }),
    functions: z.array(z.object({ name: z.string(), ranges: z.array(RangeResponse) })),
  })
  .openapi("ExpressionCheck");

/** A report with lines and characters in place of offsets. */
function toView(source: string, { diagnostics, paths, functions }: ExpressionReport) {
  const at = lspRanges(source);
  return {
    valid: diagnostics.every(({ severity }) => severity !== "error"),
    diagnostics: diagnostics.map(({ code, severity, message, range }) => ({
      code,
      severity,
      message,
      range: at(range),
    })),
    paths: paths.map(({ path, ranges }) => ({ path, ranges: ranges.map(at) })),
    functions: functions.map(({ name, ranges }) => ({ name, ranges: ranges.map(at) })),
  };
}

const expressions = operations({ tags: ["Triggers"], scope: "orchestration" });

export const registerFlorinExpressions = registration(
  expressions.post("/expressions/check", {
    operationId: "florinCheckExpression",
    work: "expression",
    summary: "Check an expression for an editor",
    description:
      "The answer lists every mistake and likely mistake of a trigger's filter or variable with its range, and what it reads and calls. Nothing is evaluated.",
    scope: "orchestration:read",
    body: CheckRequest,
    bodyBytesMax: CHECK_BYTES_MAX,
    answer: ok.data("What the check found", CheckResponse),
    handle: ({ body: { plain, use } }) => {
      const names = new Set(EXPRESSION_NAMES);
      const functions = new Set(EXPRESSION_FUNCTIONS);
      const report = checkExpression(plain, { use, names, functions });
      return toView(plain, report);
    },
  }),
);
