import { z } from "@hono/zod-openapi";
import type { ServiceContext } from "#platform/context.ts";
import { ok, operations, PageSize, TimestampOutput } from "#platform/http/index.ts";
import { logError } from "#platform/log.ts";
import type { Module, Sweep } from "#platform/modules/module.ts";
import { statusSections, withinTime } from "#platform/modules/status.ts";
import type { ModuleSection, StuckWork } from "#platform/status/section.ts";
import { formatTimestamp, fromMillis } from "#platform/time.ts";

/** Pieces of each kind of work that are shown, unless the request says how many, and most of them. */
const EACH = 20;
const EACH_MAX = 100;

const StuckResponse = z
  .object({
    items: z.array(
      z.object({
        module: z.string(),
        work: z.string().openapi({ description: "The kind of work, as in `GET /metrics`" }),
        what: z.string(),
        severity: z.enum(["warning", "critical"]),
        since: TimestampOutput.optional().openapi({
          description: "Since when; absent where it is not known",
        }),
        why: z.string(),
        whatToDo: z.string(),
        path: z.string().openapi({
          description: "The path of this API that shows it, or the list that has it",
        }),
      }),
    ),
    more: z.array(z.object({ module: z.string(), work: z.string() })).openapi({
      description: "Kinds of work of which there is more than is shown",
    }),
    unread: z.array(z.object({ module: z.string(), section: z.string() })).openapi({
      description: "Sections that could not be read within three seconds",
    }),
  })
  .openapi("StuckWork", {
    example: {
      items: [
        {
          module: "orchestration",
          work: "stuck-instances",
          what: "3d6f0a4d-8b1e-4f0e-9a53-0d4f6a9a6f11",
          severity: "warning",
          since: "2026-03-01T08:12:00Z",
          why: "an activity of each has failed and is tried again: the account has not enough money",
          whatToDo: "repair what the last failure names, or abort the instance",
          path: "/api/orchestration/v2/instances/3d6f0a4d-8b1e-4f0e-9a53-0d4f6a9a6f11",
        },
      ],
      more: [],
      unread: [],
    },
  });

/** The stuck work of a section. */
interface SectionWork {
  readonly module: string;
  readonly section: string;
  /** Undefined if it could not be read. */
  readonly found: readonly StuckWork[] | undefined;
}

async function readSection(
  context: ServiceContext,
  { module, section }: ModuleSection,
  max: number,
): Promise<SectionWork> {
  const { name, stuck } = section;
  const reading = withinTime(async () => (await stuck?.(context, max)) ?? []);
  const found = await reading.catch((error: unknown) => {
    logError("the stuck work of a section could not be read", error, { module, section: name });
    return undefined;
  });
  return { module, section: name, found };
}

/** The stuck work of sections, at most `each` pieces of each kind. One more is asked for, which shows that there is more. */
async function readStuck(
  context: ServiceContext,
  sections: readonly ModuleSection[],
  each: number,
): Promise<z.input<typeof StuckResponse>> {
  const read = await Promise.all(sections.map((part) => readSection(context, part, each + 1)));
  const kinds = read.flatMap(({ module, found = [] }) =>
    [...Map.groupBy(found, ({ work }) => work)].map(([work, all]) => ({ module, work, all })),
  );
  return {
    items: kinds.flatMap(({ module, all }) =>
      all.slice(0, each).map(({ sinceMs, ...stuck }) => ({
        module,
        ...stuck,
        ...(sinceMs === undefined ? {} : { since: formatTimestamp(fromMillis(sinceMs)) }),
      })),
    ),
    more: kinds.flatMap(({ module, work, all }) => (all.length > each ? [{ module, work }] : [])),
    unread: read.flatMap(({ module, section, found }) =>
      found === undefined ? [{ module, section }] : [],
    ),
  };
}

const group = operations({ path: "/api/florin/v1/stuck", tags: ["Status"], scope: "florin" });

/** The operation that lists stuck work. */
export function stuckRoutes(modules: readonly Module[], sweeps: readonly Sweep[]) {
  const names = sweeps.map(({ name }) => name);
  const sections = statusSections(modules, names).filter(({ section }) => section.stuck);
  return group.get("", {
    scope: "florin:operate",
    operationId: "florinListStuckWork",
    summary: "List what waits longer than it should",
    description:
      "Initiations, instances, deliveries, pipelines, connectors, holds and other work of all modules, with since when, why, what to do, and the path that shows each. It is read from the rows that the status reads, within the same limits; of each kind of work, the pieces that have waited longest come first.",
    query: z.object({
      module: z
        .enum([...new Set(sections.map(({ module }) => module))])
        .optional()
        .openapi({ description: "Only the work of this module" }),
      each: PageSize.refine((each) => each >= 1 && each <= EACH_MAX, `expected 1 to ${EACH_MAX}`)
        .default(EACH)
        .openapi({
          type: "integer",
          description: "How many pieces of each kind of work are shown",
          minimum: 1,
          maximum: EACH_MAX,
          default: EACH,
        }),
    }),
    answer: ok.data("The work", StuckResponse),
    handle: ({ context, query: { module, each } }) =>
      readStuck(
        context,
        sections.filter((part) => module === undefined || part.module === module),
        each,
      ),
  });
}
