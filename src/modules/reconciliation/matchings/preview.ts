import { linesText } from "./engine/groups.ts";
import type { PreviewGroup, PreviewLine } from "./engine/preview-reads.ts";
import { dayAt } from "./fields.ts";
import { reachMatching } from "./object-calls.ts";
import { getMatching } from "./store.ts";
import type { BreakClass } from "#modules/reconciliation/core/breaks/classify.ts";
import { breaksInMemory } from "#modules/reconciliation/core/breaks/in-memory.ts";
import { assertPasses } from "#modules/reconciliation/core/matching/check-passes.ts";
import { DEFAULT_PASSES } from "#modules/reconciliation/core/matching/default-passes.ts";
import {
  type MatchingResult,
  matchingSteps,
} from "#modules/reconciliation/core/matching/in-memory.ts";
import type { Group, OpenLine, Pass } from "#modules/reconciliation/core/matching/index.ts";
import type { ServiceContext } from "#platform/context.ts";

/** Most lines that a preview looks at, and that one call of the object reads. */
export const PREVIEW_LINES_MAX = 20_000;
const PAGE_LINES = 1000;

/** Most groups of a kind that a preview shows. */
export const SHOWN_GROUPS_MAX = 50;

/** Other passes, of which undefined ones are those of the matching. */
export interface PreviewRequest {
  /** Null for the passes that ship. */
  readonly passes: readonly Pass[] | null | undefined;
  readonly threshold: number | undefined;
  readonly timingDays: number | undefined;
}

export interface PreviewedGroup extends Group {
  readonly pass: string;
  readonly confidence: number;
}

/** How groups of a kind would change. */
export interface PreviewedChange {
  /** The number of them afterwards. */
  readonly count: number;
  readonly added: PreviewedGroups;
  readonly vanished: PreviewedGroups;
}

export interface PreviewedGroups {
  readonly count: number;
  /** The first ones, at most `SHOWN_GROUPS_MAX`. */
  readonly groups: readonly PreviewedGroup[];
}

/** What passes would find. */
export interface MatchingPreview {
  readonly lookedAt: {
    readonly lines: number;
    /** In days since 1970-01-01; undefined without lines. */
    readonly firstDay: number | undefined;
    readonly lastDay: number | undefined;
    /** Whether these are all lines that passes may match. */
    readonly isAll: boolean;
  };
  readonly matches: PreviewedChange;
  readonly proposals: PreviewedChange;
  /** Lines without a match afterwards, and their number by class. */
  readonly open: number;
  readonly breaks: ReadonlyMap<BreakClass, number>;
}

/**
 * Tells what other passes would find among the newest lines that are open, or that a run has matched and nobody has decided about, and what
 * of that is there already. Nothing is changed. Throws `NOT_FOUND`, `UNAUTHENTICATED` and `VALIDATION`.
 */
export async function previewPasses(
  context: ServiceContext,
  id: string,
  request: PreviewRequest,
): Promise<MatchingPreview> {
  const matching = await getMatching(context, id);
  const passes =
    (request.passes === undefined ? matching.passes : request.passes) ?? DEFAULT_PASSES;
  assertPasses(passes);
  const { lines, groups, isAll } = await readLines(context, id);
  const result = await matchInTurns(passes, lines, request.threshold ?? matching.threshold);
  const found = await withoutDeclined(context, id, result);
  const undecided = new Set([
    ...found.proposals.flatMap(({ left, right }) => [...left, ...right]),
    ...result.givenUp,
  ]);
  const matched = new Set(found.matches.flatMap(({ left, right }) => [...left, ...right]));
  const open = lines.filter((line) => !matched.has(line.id));
  const breaks = breaksInMemory({
    lines,
    open,
    undecided,
    today: dayAt(context.clock()),
    timingDays: request.timingDays ?? matching.timingDays,
  });
  const days = lines.map(({ day }) => day);
  return {
    lookedAt: {
      lines: lines.length,
      firstDay: days.length === 0 ? undefined : days.reduce((one, other) => Math.min(one, other)),
      lastDay: days.length === 0 ? undefined : days.reduce((one, other) => Math.max(one, other)),
      isAll,
    },
    matches: changeOf(
      found.matches,
      groups.filter(({ isProposed }) => !isProposed),
    ),
    proposals: changeOf(
      found.proposals,
      groups.filter(({ isProposed }) => isProposed),
    ),
    open: open.length,
    breaks: countsOf([...breaks.values()].map((found) => found.class)),
  };
}

/** The newest lines, and their groups. A group counts only with all its lines, and otherwise they are left as they are. */
async function readLines({ env }: ServiceContext, id: string) {
  const found: PreviewLine[] = [];
  const groups = new Map<number, PreviewGroup>();
  let below: number | undefined = Number.MAX_SAFE_INTEGER;
  while (below !== undefined && found.length < PREVIEW_LINES_MAX) {
    const from: number = below;
    const page = await reachMatching(env, id, (object) => object.previewPage(from, PAGE_LINES));
    found.push(...page.lines);
    for (const group of page.groups) groups.set(group.id, group);
    below = page.next;
  }
  const read = new Set(found.map(({ line }) => line.id));
  const whole = new Map(
    [...groups].filter(([, { left, right }]) =>
      [...left, ...right].every((line) => read.has(line)),
    ),
  );
  const lines = found
    .filter(({ group }) => group === undefined || whole.has(group))
    .map(({ line }) => line);
  return { lines: lines.toReversed(), groups: [...whole.values()], isAll: below === undefined };
}

/** Matches in memory, with a turn for others after each pass. */
async function matchInTurns(
  passes: readonly Pass[],
  lines: readonly OpenLine[],
  threshold: number,
): Promise<MatchingResult> {
  const steps = matchingSteps(passes, lines, threshold);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await scheduler.wait(0);
  }
}

/** The groups of a result that nobody has declined, in the form of answers. */
async function withoutDeclined(
  { env }: ServiceContext,
  id: string,
  { matches, proposals }: MatchingResult,
) {
  const kept = async (found: MatchingResult["matches"]): Promise<readonly PreviewedGroup[]> => {
    const sides = found.map(({ left, right }) => ({ left, right }));
    const declined = new Set(
      sides.length === 0
        ? []
        : await reachMatching(env, id, (object) => object.declinedAmong(sides)),
    );
    return found
      .filter((_, place) => !declined.has(place))
      .map(({ left, right, pass }) => ({
        left,
        right,
        pass: pass.name,
        confidence: pass.confidence,
      }));
  };
  return { matches: await kept(matches), proposals: await kept(proposals) };
}

function changeOf(
  after: readonly PreviewedGroup[],
  before: readonly PreviewedGroup[],
): PreviewedChange {
  const [known, kept] = [new Set(before.map(linesText)), new Set(after.map(linesText))];
  return {
    count: after.length,
    added: firstOf(after.filter((group) => !known.has(linesText(group)))),
    vanished: firstOf(before.filter((group) => !kept.has(linesText(group)))),
  };
}

const firstOf = (groups: readonly PreviewedGroup[]): PreviewedGroups => ({
  count: groups.length,
  groups: groups.slice(0, SHOWN_GROUPS_MAX),
});

function countsOf(classes: readonly BreakClass[]): ReadonlyMap<BreakClass, number> {
  const counts = new Map<BreakClass, number>();
  for (const name of classes) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
