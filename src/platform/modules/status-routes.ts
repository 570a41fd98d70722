import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Module } from "./module.ts";
import {
  publicStatus,
  readStatus,
  samplesOf,
  type SectionReport,
  statusSections,
  type StatusReport,
} from "./status.ts";
import { outOfReach } from "#platform/access/ledger-patterns.ts";
import type { ServiceContext } from "#platform/context.ts";
import {
  type AppEnv,
  dataOf,
  deploymentOf,
  endpoint,
  json,
  texts,
  TimestampOutput,
} from "#platform/http/index.ts";
import { FAMILIES } from "#platform/status/families.ts";
import { OPEN_METRICS_TYPE, toOpenMetrics } from "#platform/status/open-metrics.ts";
import { type ModuleSection, type Problem, sample } from "#platform/status/section.ts";
import { formatTimestamp, fromMillis } from "#platform/time.ts";

const SCOPE = "florin:operate";

const ProblemResponse = z
  .object({
    severity: z.enum(["warning", "critical"]).openapi({
      description:
        "`critical`: the deployment itself does not do its work. `warning`: somebody else's system does not, or a limit is near.",
    }),
    what: z.string(),
    since: TimestampOutput.optional().openapi({
      description: "Since when; absent where it is not known",
    }),
    why: z.string(),
    whatToDo: z.string(),
  })
  .openapi("StatusProblem");

const SectionResponse = z
  .object({
    module: z.string().openapi({ description: "The module, or `platform`" }),
    name: z.string(),
    description: z.string(),
    state: z.enum(["ok", "warning", "critical", "unknown"]).openapi({
      description: "`unknown` if the section could not be read; the others are shown all the same",
    }),
    problems: z.array(ProblemResponse),
    values: z
      .array(
        z.object({
          metric: z.string().openapi({
            description: "The family of metrics in `GET /metrics`, and its part for a histogram",
          }),
          labels: z.record(z.string(), z.string()),
          value: z.number(),
        }),
      )
      .openapi({ description: "The samples of the section in `GET /metrics`" }),
  })
  .openapi("StatusSection");

const StatusResponse = z
  .object({
    ok: z.boolean().openapi({
      description:
        "Whether no section has a critical problem, and each could be read; of those that were asked for",
    }),
    checkedAt: TimestampOutput,
    sections: z.array(SectionResponse).optional().openapi({
      description: "Absent for callers without a token",
    }),
  })
  .openapi("Status", {
    example: {
      ok: false,
      checkedAt: "2026-03-01T09:30:00Z",
      sections: [
        {
          module: "webhooks",
          name: "deliveries",
          description: "Deliveries that wait in the lanes of endpoints",
          state: "warning",
          problems: [
            {
              severity: "warning",
              what: "0c6f1c7e-4a51-4b6c-9d39-5f8f2d1c9a11",
              since: "2026-03-01T08:12:00Z",
              why: "40 wait: the endpoint fails",
              whatToDo: "repair the endpoint; its deliveries are repeated by themselves",
            },
          ],
          values: [
            {
              metric: "florin_objects_behind",
              labels: { module: "webhooks", kind: "webhook-deliveries" },
              value: 1,
            },
          ],
        },
      ],
    },
  });

/**
 * Registers `GET /api/florin/v1/status` and `GET /metrics`, which show the same sections. Both name ledgers, endpoints and connectors, so
 * that a token which is bound to ledgers gets neither.
 */
export function registerStatus(
  app: OpenAPIHono<AppEnv>,
  modules: readonly Module[],
  sweeps: readonly string[],
): void {
  const sections = statusSections(modules, sweeps);
  const StatusQuery = z.object({
    module: z
      .enum([...new Set(sections.map(({ module }) => module))])
      .optional()
      .openapi({ description: "Only the sections of this module. Needs a token." }),
  });
  const chosen = (wanted: string | undefined): readonly ModuleSection[] =>
    wanted === undefined ? sections : sections.filter(({ module }) => module === wanted);
  endpoint(
    app,
    {
      method: "get",
      path: "/api/florin/v1/status",
      operationId: "florinGetStatus",
      summary: "Show whether the deployment is well, and why not",
      description: `Without a token, the answer says only whether the deployment is well, and is up to ten seconds old. With a token that has the scope \`${SCOPE}\` and is bound to no ledgers, it says for each part what waits, since when, why, and what to do. Parts are read from durable rows; one that fails or takes longer than three seconds is shown as \`unknown\`.`,
      tags: ["Status"],
      scope: "public",
      query: StatusQuery,
      responses: { 200: json("The status", dataOf(StatusResponse)) },
    },
    async ({ c, context, query: { module } }) => {
      const isPublic = module === undefined && isWithoutToken(c);
      if (isPublic) {
        return { status: 200, body: { data: publicView(await publicStatus(context, sections)) } };
      }
      await assertOperator(c);
      const report = await readStatus(context, chosen(module));
      return { status: 200, body: { data: viewOf(report) } };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/metrics",
      operationId: "florinGetMetrics",
      summary: "Show the status as metrics",
      description:
        "Text of OpenMetrics 1.0 for Prometheus and its relatives, with the values of the status as gauges and counters.",
      tags: ["Status"],
      scope: SCOPE,
      query: StatusQuery,
      responses: { 200: texts("The metrics", OPEN_METRICS_TYPE) },
    },
    ({ context, query: { module } }) => ({
      status: 200,
      texts: metricsText(context, { sections: chosen(module), isWhole: module === undefined }),
    }),
  );
}

/** The metrics of sections. Whether the deployment is well is told only where all sections were read. */
async function* metricsText(
  context: ServiceContext,
  { sections, isWhole }: { sections: readonly ModuleSection[]; isWhole: boolean },
): AsyncGenerator<string> {
  const { isOk, sections: reports } = await readStatus(context, sections);
  const ok = isWhole ? [sample(FAMILIES.ok, Number(isOk), {})] : [];
  yield toOpenMetrics([...ok, ...samplesOf(reports)]);
}

const isWithoutToken = (c: Context<AppEnv>): boolean =>
  !deploymentOf(c).isOpenToAll && c.req.raw.headers.get("authorization") === null;

/** Throws `UNAUTHENTICATED` for a token that is not valid, lacks the scope, or is bound to ledgers. */
async function assertOperator(c: Context<AppEnv>): Promise<void> {
  const { ledgers } = await deploymentOf(c).authenticate(c.req.raw, SCOPE);
  if (ledgers.length === 0) return;
  throw outOfReach("the token is bound to ledgers, and the status tells of others, too");
}

const publicView = ({ isOk: ok, checkedAt }: Pick<StatusReport, "isOk" | "checkedAt">) => ({
  ok,
  checkedAt: formatTimestamp(checkedAt),
});

const viewOf = (report: StatusReport): z.input<typeof StatusResponse> => ({
  ...publicView(report),
  sections: report.sections.map(sectionView),
});

const sectionView = ({
  samples,
  problems,
  ...facts
}: SectionReport): z.input<typeof SectionResponse> => ({
  module: facts.module,
  name: facts.name,
  description: facts.description,
  state: facts.state,
  problems: problems.map(problemView),
  values: samples.map(({ family: { name }, part, labels, value }) => ({
    metric: part === undefined ? name : `${name}_${part}`,
    labels: { ...labels },
    value,
  })),
});

const problemView = ({ sinceMs, ...problem }: Problem): z.input<typeof ProblemResponse> => ({
  ...problem,
  ...(sinceMs === undefined ? {} : { since: formatTimestamp(fromMillis(sinceMs)) }),
});
