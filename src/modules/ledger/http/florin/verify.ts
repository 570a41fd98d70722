import { z } from "@hono/zod-openapi";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { LedgerParams } from "#modules/ledger/wire/schemas.ts";
import { BigInteger, Count, ok, operations, registration } from "#platform/http/index.ts";

const VerifyResponse = z
  .object({
    status: z.enum(["running", "consistent", "inconsistent"]),
    lastLogId: Count.openapi({ description: "The last log entry that was replayed" }),
    rows: z.record(z.string(), Count).openapi({ description: "Rows that were compared, by table" }),
    totals: z
      .array(z.object({ asset: z.string(), input: BigInteger, output: BigInteger }))
      .openapi({ description: "What all accounts together have received and sent of each asset" }),
    differences: z
      .array(
        z.object({
          table: z.string(),
          key: z.string(),
          problem: z.string(),
          column: z.string().optional(),
          stored: z.string().optional(),
          expected: z.string().optional(),
        }),
      )
      .openapi({ description: "The first hundred differences" }),
  })
  .openapi("LedgerVerification");

const ledgers = operations({ tags: ["Ledgers"], scope: "ledger" });

export const registerVerify = registration(
  ledgers.post("/ledgers/{ledger}/verify", {
    operationId: "florinVerifyLedger",
    work: "verification",
    summary: "Verify a ledger against its log",
    description:
      "The ledger is rebuilt from its log in another database, and every row, the hash chain and the sums of money are compared. The answer comes after a few seconds: call again while the status is `running`. The ledger goes on working meanwhile.",
    params: LedgerParams,
    answer: ok.data("What was found", VerifyResponse),
    errors: [404],
    handle: async ({ params, context, c }) => {
      const report = await LedgerService.from(context).verify(params.ledger, c.env.AUDITS);
      const { status, lastLogId, rows, totals, differences } = report;
      return {
        status,
        lastLogId,
        rows: { ...rows },
        totals: [...totals],
        differences: [...differences],
      };
    },
  }),
);
