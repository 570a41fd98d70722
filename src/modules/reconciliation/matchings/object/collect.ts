import { currentPrincipal } from "#modules/auth/index.ts";
import { lackingOf } from "#modules/reconciliation/balances/reach.ts";
import type { MatchSide } from "#modules/reconciliation/core/matching/line.ts";
import type { SourceLinesPage } from "#modules/reconciliation/core/source-line.ts";
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

/** Most lines of a page, and of a part of it that is stored in one turn. Reads of the matching wait for one of them at most. */
const PAGE_LINES = 500;
const PART_LINES = 125;

/** Pages that are collected before the rights and the source of the run are looked up again. */
const PAGES = 4;

interface Collector {
  readonly matchingId: string;
  readonly engine: MatchingEngine;
  /** Whether the engine is still the object's one, which it is not after the matching was deleted. */
  readonly isOpen: () => boolean;
}

/**
 * Collects some pages of the source that the run is at, with the rights that whoever began the run has now. Gives `all` after the last page
 * of both sources. Throws what the source throws, `UNAUTHENTICATED` where the rights are gone, and `CONFLICT` where the matching is full.
 */
export async function collectPages(
  context: ServiceContext,
  { matchingId, engine, isOpen }: Collector,
): Promise<"some" | "all" | "deleted"> {
  const matching = await findMatching(context, matchingId);
  if (matching === undefined) return "deleted";
  const run = engine.heads.working();
  if (!isOpen() || run?.cursor.phase !== "collect") return "some";
  const { side } = run.cursor;
  const acting = await actingOf(context, run, matching);
  const source = await sourceOf(
    acting,
    side === "left" ? matching.leftSourceId : matching.rightSourceId,
  );
  assertCovered(matching, source);
  const isCollecting = () => isOpen() && engine.heads.working()?.id === run.id;
  for (let page = 0; page < PAGES && isCollecting(); page++) {
    const room = MATCHING_LINES_MAX - engine.lineCount();
    const read = await readSourceLines(acting, source, {
      after: engine.collection.position(side),
      ...matching.period,
      limit: PAGE_LINES,
      collector: matchingId,
    });
    if (read.lines.length > room)
      throw new AppError(
        "CONFLICT",
        `a matching has at most ${MATCHING_LINES_MAX} lines: create another one for a later period, and end this one by period.to`,
      );
    if (!(await storePage({ engine, isOpen: isCollecting, side }, read))) return "some";
    if (read.isLast) return side === "right" ? "all" : "some";
  }
  return "some";
}

/** Stores a page in parts, with requests between two of them. Gives whether the whole page is stored. */
async function storePage(
  { engine, isOpen, side }: Omit<Collector, "matchingId"> & { readonly side: MatchSide },
  { lines, position, isLast }: SourceLinesPage,
): Promise<boolean> {
  const sided = lines.map((line) => ({ ...line, side }));
  for (let from = 0; ; from += PART_LINES) {
    if (!isOpen()) return false;
    const part = sided.slice(from, from + PART_LINES);
    const isEnd = from + PART_LINES >= sided.length;
    engine.collect({ side, lines: part, position: isEnd ? position : undefined, isLast });
    await scheduler.wait(0);
    if (isEnd) return true;
  }
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
