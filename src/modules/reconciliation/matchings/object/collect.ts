import { currentPrincipal } from "#modules/auth/index.ts";
import { lackingOf } from "#modules/reconciliation/balances/reach.ts";
import type { MatchingEngine } from "#modules/reconciliation/matchings/engine/engine.ts";
import type { WorkingRun } from "#modules/reconciliation/matchings/engine/heads.ts";
import type { Matching } from "#modules/reconciliation/matchings/matching.ts";
import { findMatching } from "#modules/reconciliation/matchings/store.ts";
import { readSourceLines } from "#modules/reconciliation/sources/read-lines.ts";
import { reachOfSource } from "#modules/reconciliation/sources/source.ts";
import { sourceOf } from "#modules/reconciliation/sources/store.ts";
import { fromPrincipalColumn } from "#platform/access/stored-principal.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** Most lines of a matching, both sides together. */
export const MATCHING_LINES_MAX = 4_000_000;

/** Most lines of a page, and of a part of it that is stored in one turn. */
const PAGE_LINES = 2000;
const PART_LINES = 250;

interface Collector {
  readonly matchingId: string;
  readonly engine: MatchingEngine;
  /** Whether the engine is still the object's one, which it is not after the matching was deleted. */
  readonly isOpen: () => boolean;
}

/**
 * Collects a page of the source that the run is at, with the rights that whoever began the run has now. Gives `all` after the last page of
 * both sources. Throws what the source throws, `UNAUTHENTICATED` where the rights are gone, and `CONFLICT` where the matching is full.
 */
export async function collectPage(
  context: ServiceContext,
  { matchingId, engine, isOpen }: Collector,
): Promise<"page" | "all" | "deleted"> {
  const matching = await findMatching(context, matchingId);
  if (matching === undefined) return "deleted";
  const run = engine.heads.working();
  if (!isOpen() || run?.cursor.phase !== "collect") return "page";
  const { side } = run.cursor;
  const acting = await actingOf(context, run, matching);
  const source = await sourceOf(
    acting,
    side === "left" ? matching.leftSourceId : matching.rightSourceId,
  );
  assertCovered(matching, source);
  const room = MATCHING_LINES_MAX - engine.lineCount();
  const { lines, position, isLast } = await readSourceLines(acting, source, {
    after: engine.collection.position(side),
    ...matching.period,
    limit: PAGE_LINES,
    collector: matchingId,
  });
  if (lines.length > room)
    throw new AppError(
      "CONFLICT",
      `a matching has at most ${MATCHING_LINES_MAX} lines: create another one for a later period, and end this one by period.to`,
    );
  const sided = lines.map((line) => ({ ...line, side }));
  for (let from = 0; ; from += PART_LINES) {
    if (!isOpen()) return "page";
    const part = sided.slice(from, from + PART_LINES);
    const isEnd = from + PART_LINES >= sided.length;
    engine.collect({ side, lines: part, position: isEnd ? position : undefined, isLast });
    if (isEnd) break;
    await scheduler.wait(0);
  }
  return isLast && side === "right" ? "all" : "page";
}

/** The context of the run's principal as it is now. */
async function actingOf(
  context: ServiceContext,
  run: WorkingRun,
  matching: Matching,
): Promise<ServiceContext> {
  const stored = fromPrincipalColumn(run.principal);
  const principal = await currentPrincipal(context, stored);
  if (principal === undefined)
    throw new AppError("UNAUTHENTICATED", `${nameOf(stored)}, who began the run, is gone`);
  const lacking = lackingOf(principal, matching.reach);
  if (lacking !== undefined)
    throw new AppError(
      "UNAUTHENTICATED",
      `${nameOf(stored)}, who began the run, has lost ${lacking}`,
    );
  return { ...context, principal, requestId: `matching:${matching.id}:run:${run.id}` };
}

/** Throws `CONFLICT` for a source that was changed during the run to one that reads what readers of the matching may not. */
function assertCovered(
  { reach }: Matching,
  source: Parameters<typeof reachOfSource>[0] & { readonly name: string },
): void {
  const { ledgers, hasPools } = reachOfSource(source);
  const isCovered =
    ledgers.every((name) => reach.ledgers.includes(name)) && (reach.hasPools || !hasPools);
  if (isCovered) return;
  throw new AppError(
    "CONFLICT",
    `the source '${source.name}' reads other books than at the beginning of the run: begin another one`,
  );
}

const nameOf = ({ subject, clientId, isPerson }: Principal): string =>
  isPerson === true
    ? `the user '${subject}' of the client '${clientId}'`
    : `the client '${clientId}'`;
