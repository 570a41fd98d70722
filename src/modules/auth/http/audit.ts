import { z } from "@hono/zod-openapi";
import { AUDIT_FILTERS, type AuditEntry, AuditLog } from "#platform/audit/audit-log.ts";
import {
  deploymentOf,
  ListParams,
  type ListRules,
  ok,
  operations,
  registration,
  TimestampOutput,
  TimestampParam,
  toPageQuery,
} from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

const AuditQuery = ListParams.extend({
  startTime: TimestampParam.openapi({ description: "Only changes at this date or later." }),
  endTime: TimestampParam.openapi({ description: "Only changes before this date." }),
  clientId: z.string().optional().openapi({ description: "The client that made the change." }),
  subject: z
    .string()
    .optional()
    .openapi({ description: "The user for whom the change was made, or the client itself." }),
  action: z.string().optional().openapi({ example: "ledger.bucket.delete" }),
  object: z.string().optional().openapi({ example: "buckets/main" }),
  requestId: z.string().optional().openapi({
    description: "The request that made the change: the `x-request-id` header of its answer.",
  }),
});

const AuditEntryResponse = z
  .object({
    id: z.int(),
    date: TimestampOutput,
    issuer: z
      .string()
      .openapi({ description: "The issuer of the token, which vouches for subject and client" }),
    subject: z.string(),
    clientId: z.string(),
    action: z.string().openapi({ description: "Module, entity and verb" }),
    object: z.string().openapi({ description: "What was changed, as a path" }),
    requestId: z
      .string()
      .openapi({ description: "The `x-request-id` header of the answer to the request" }),
    note: z.string().optional().openapi({
      description: "Why, as the author has said, such as who has disarmed the deployment",
    }),
  })
  .openapi("AuditEntry", {
    example: {
      id: 42,
      date: "2026-03-01T09:30:00.25Z",
      issuer: "https://florin.example.com/api/auth",
      subject: "billing",
      clientId: "billing",
      action: "ledger.bucket.delete",
      object: "buckets/main",
      requestId: "8c1f6f6e-6f0a-4d3e-9a53-0d4f6a9a6f11",
    },
  });

const LIST_RULES: ListRules = {
  list: "audit",
  columns: { date: "date" },
  column: "date",
  order: "desc",
  options: AUDIT_FILTERS,
};

/** The parameters that a request has, without absent ones. */
const definedOf = (params: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

const toAuditView = ({ date, note, ...entry }: AuditEntry): z.input<typeof AuditEntryResponse> => ({
  ...entry,
  date: formatTimestamp(date),
  ...(note === null ? {} : { note }),
});

const audit = operations({ tags: ["Audit"], scope: "auth" });

/** Registers `GET /api/florin/v1/audit`. */
export const registerAudit = registration(
  audit.get("/audit", {
    operationId: "florinListAudit",
    summary: "List who changed what",
    description:
      "Changes of clients and their secrets, webhook configs, ledgers and their metadata, buckets, exporters and pipelines, newest first. Changes that the deployment makes by itself have the issuer and the client `florin`. A change of the books is a log entry, whose author has an operation of its own.",
    query: AuditQuery,
    answer: ok.page("A page of changes", AuditEntryResponse, toAuditView),
    handle: ({ query, context, c }) => {
      const { cursor, pageSize, sort, ...given } = query;
      const list = { cursor, pageSize, sort };
      const options = { ...AUDIT_FILTERS, ...definedOf(given) };
      const wanted = toPageQuery({ ...list, options }, LIST_RULES, deploymentOf(c).settings);
      return AuditLog.from(context).list(wanted);
    },
  }),
);
