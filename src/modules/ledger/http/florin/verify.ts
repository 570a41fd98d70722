import { z } from "@hono/zod-openapi";
import type { Ledger } from "#modules/catalogue/index.ts";
import type { DatedReport } from "#modules/ledger/objects/audit-result.ts";
import { LedgerVerifications } from "#modules/ledger/service/verifications.ts";
import { LedgerParams } from "#modules/ledger/wire/schemas.ts";
import { assert } from "#platform/assert.ts";
import {
  BigInteger,
  Count,
  deploymentOf,
  ListParams,
  type ListRules,
  ok,
  operations,
  registration,
  TimestampOutput,
  toPageQuery,
} from "#platform/http/index.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

const VerifyResponse = z
  .object({
    status: z.enum(["running", "consistent", "inconsistent"]),
    at: TimestampOutput.optional().openapi({
      description: "When the verification ended; absent while it is running",
    }),
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

const LastVerificationResponse = z
  .object({
    last: VerifyResponse.optional().openapi({
      description: "The last verification that ended; absent if there was none",
    }),
    inconsistentSince: TimestampOutput.optional().openapi({
      description:
        "When a verification first found that the ledger differs from its log; absent once a later one found no difference",
    }),
  })
  .openapi("LastLedgerVerification");

const InconsistentLedgerResponse = z
  .object({
    ledger: z.string(),
    inconsistentSince: TimestampOutput.openapi({
      description: "When a verification first found that the ledger differs from its log",
    }),
  })
  .openapi("InconsistentLedger");

const LIST_RULES: ListRules = {
  list: "inconsistent-ledgers",
  columns: { id: "integer" },
  column: "id",
  order: "asc",
};

const toVerificationView = ({
  report: { status, lastLogId, rows, totals, differences },
  at,
}: DatedReport): z.input<typeof VerifyResponse> => ({
  status,
  ...optionalTimestamp("at", at),
  lastLogId,
  rows: { ...rows },
  totals: [...totals],
  differences: [...differences],
});

function toInconsistentView({
  name,
  inconsistentSince,
}: Ledger): z.input<typeof InconsistentLedgerResponse> {
  assert(inconsistentSince !== undefined, "the list has only ledgers with differences");
  return { ledger: name, inconsistentSince: formatTimestamp(inconsistentSince) };
}

const ledgers = operations({ tags: ["Ledgers"], scope: "ledger" });

export const registerVerify = registration(
  ledgers.post("/ledgers/{ledger}/verify", {
    operationId: "florinVerifyLedger",
    work: "verification",
    summary: "Verify a ledger against its log",
    description:
      "The ledger is rebuilt from its log in another database, and every row, the hash chain and the sums of money are compared. The answer comes after a few seconds: call again while the status is `running`. The ledger goes on working meanwhile. The result is kept until the next verification ends.",
    params: LedgerParams,
    answer: ok.data("What was found", VerifyResponse, toVerificationView),
    errors: [404],
    handle: ({ params, context }) => LedgerVerifications.from(context).verify(params.ledger),
  }),
  ledgers.get("/ledgers/{ledger}/verification", {
    operationId: "florinGetLastVerification",
    summary: "Read the result of a ledger's last verification",
    params: LedgerParams,
    answer: ok.data("What was found last", LastVerificationResponse),
    errors: [404],
    handle: async ({ params, context }) => {
      const { last, inconsistentSince } = await LedgerVerifications.from(context).last(
        params.ledger,
      );
      return {
        ...(last === undefined ? {} : { last: toVerificationView(last) }),
        ...optionalTimestamp("inconsistentSince", inconsistentSince),
      };
    },
  }),
  ledgers.get("/inconsistent-ledgers", {
    operationId: "florinListInconsistentLedgers",
    summary: "List the ledgers whose last verification found differences",
    description: "A ledger is in the list until a later verification finds no difference.",
    honoursLedgers: true,
    query: ListParams,
    answer: ok.page("A page of ledgers", InconsistentLedgerResponse, toInconsistentView),
    handle: ({ query, context, c }) => {
      const wanted = toPageQuery(query, LIST_RULES, deploymentOf(c).settings);
      return LedgerVerifications.from(context).listInconsistent(wanted);
    },
  }),
);
