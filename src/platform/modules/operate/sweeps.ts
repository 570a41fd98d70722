import { z } from "@hono/zod-openapi";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import {
  BooleanParam,
  Count,
  ok,
  operations,
  registration,
  TimestampOutput,
} from "#platform/http/index.ts";
import type { Sweep } from "#platform/modules/module.ts";
import { ringClock } from "#platform/objects/deployment-clock.ts";
import { listSweepRuns, type RecordedRun } from "#platform/status/sweep-runs.ts";
import { formatTimestamp, fromMillis } from "#platform/time.ts";

const SweepResponse = z
  .object({
    name: z.string(),
    purges: z.boolean().openapi({ description: "Whether the sweep deletes what is old" }),
    lastRun: TimestampOutput.optional().openapi({
      description:
        "The end of the last recorded run; runs that succeed are recorded every 30 seconds at most. Absent for a sweep that has never run.",
    }),
    nextRun: TimestampOutput.optional().openapi({
      description: "When it runs again at the latest",
    }),
    lastSuccess: TimestampOutput.optional(),
    lastFailure: z
      .object({ date: TimestampOutput, error: z.string() })
      .optional()
      .openapi({ description: "The last run that has failed; absent for none" }),
    failures: Count.openapi({ description: "Runs in a row that have failed" }),
  })
  .openapi("Sweep", {
    example: {
      name: "outbox",
      purges: false,
      lastRun: "2026-03-01T09:30:00Z",
      nextRun: "2026-03-01T10:30:00Z",
      lastSuccess: "2026-03-01T09:30:00Z",
      failures: 0,
    },
  });

const RingResponse = z
  .object({
    name: z.string(),
    runsAt: TimestampOutput.openapi({
      description:
        "When the clock of the sweep rings: at once, or later after a run of the last five seconds or one that has failed",
    }),
  })
  .openapi("SweepRing", { example: { name: "outbox", runsAt: "2026-03-01T09:30:05Z" } });

const dateOf = (ms: number): string => formatTimestamp(fromMillis(ms));

const viewOf =
  (runs: ReadonlyMap<string, RecordedRun>) =>
  ({ name, purges = false }: Sweep): z.input<typeof SweepResponse> => {
    const run = runs.get(name);
    if (run === undefined) return { name, purges, failures: 0 };
    const { ranMs, nextMs, succeededMs, failedMs, error, failures } = run;
    return {
      name,
      purges,
      lastRun: dateOf(ranMs),
      nextRun: dateOf(nextMs),
      ...(succeededMs === null ? {} : { lastSuccess: dateOf(succeededMs) }),
      ...(failedMs === null ? {} : { lastFailure: { date: dateOf(failedMs), error: error ?? "" } }),
      failures,
    };
  };

const group = operations({ path: "/api/florin/v1/sweeps", tags: ["Sweeps"], scope: "florin" });
const OPERATE = { scope: "florin:operate" } as const;

/** The operations on sweeps. */
export const sweepRoutes = (sweeps: readonly Sweep[]) =>
  registration(
    group.get("", {
      ...OPERATE,
      operationId: "florinListSweeps",
      summary: "List the sweeps, which complete what a crash has left undone",
      query: z.object({
        failing: BooleanParam.openapi({ description: "Only sweeps whose last run has failed" }),
      }),
      answer: ok.list(
        "All sweeps, in the order in which their clocks start each other",
        SweepResponse,
      ),
      handle: async ({ context, query: { failing } }) => {
        const shown = sweeps.map(viewOf(await listSweepRuns(databaseOf(context.env))));
        return failing ? shown.filter(({ failures }) => failures > 0) : shown;
      },
    }),
    group.post("/{name}/run", {
      ...OPERATE,
      operationId: "florinRunSweep",
      summary: "Run a sweep now",
      description:
        "Arms the clock of the sweep, and answers at once. The list of sweeps shows the run when it has ended. A sweep runs every five seconds at most, however often it is asked for, and after a failure when it has rested.",
      params: z.object({ name: z.string().max(100).openapi({ example: "outbox" }) }),
      answer: ok.accepted("The clock is armed", RingResponse),
      errors: [404],
      handle: async ({ params: { name }, context }) => {
        if (!sweeps.some((sweep) => sweep.name === name)) {
          throw new AppError("NOT_FOUND", "there is no sweep with this name");
        }
        return { name, runsAt: dateOf(await ringClock(context.env, name)) };
      },
    }),
  );
