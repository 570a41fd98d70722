import {
  type AssetClose,
  closeByAsset,
  CloseSums,
} from "#modules/reconciliation/core/closing/close-report.ts";
import { reachMatching } from "#modules/reconciliation/matchings/object-calls.ts";
import { getMatching } from "#modules/reconciliation/matchings/store.ts";
import { sourceOf } from "#modules/reconciliation/sources/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import type { Timestamp } from "#platform/time.ts";

/** How often a report begins again because somebody has changed the matching meanwhile. */
const TRIES_MAX = 4;

/** One side of a report. */
export interface ReportedSide {
  readonly sourceID: string;
  readonly name: string;
}

/** The close of a period. */
export interface CloseReport {
  readonly matchingID: string;
  readonly name: string;
  readonly left: ReportedSide;
  readonly right: ReportedSide;
  /** The first and the last day, in days since 1970-01-01. */
  readonly from: number;
  readonly to: number;
  readonly at: Timestamp;
  readonly assets: readonly AssetClose[];
}

/**
 * Reports a period of a matching: what came before it, what is matched, what is open and why, and what is left, each exactly. Throws
 * `NOT_FOUND`, `UNAUTHENTICATED`, `VALIDATION` for days outside of the matching, and `CONFLICT` while a run works.
 */
export async function closeReport(
  context: ServiceContext,
  matchingId: string,
  asked: {
    readonly from: number | undefined;
    readonly to: number | undefined;
    readonly today: number;
  },
): Promise<CloseReport> {
  const matching = await getMatching(context, matchingId);
  const { period, name, id } = matching;
  const from = asked.from ?? period.from;
  const to = asked.to ?? period.to ?? asked.today;
  if (to < from) throw new AppError("VALIDATION", "the period ends before it begins");
  if (from < period.from)
    throw new AppError(
      "VALIDATION",
      "from lies before the period of the matching, where it has no lines",
    );
  const [left, right] = await Promise.all([
    sideOf(context, matching.leftSourceId),
    sideOf(context, matching.rightSourceId),
  ]);
  const assets = await stableSums(context, id, { from, to });
  return { matchingID: id, name, left, right, from, to, at: context.clock(), assets };
}

const sideOf = async (context: ServiceContext, sourceId: string): Promise<ReportedSide> => {
  const { id, name } = await sourceOf(context, sourceId);
  return { sourceID: id, name };
};

/** The sums of a matching that nobody has changed while they were read. */
async function stableSums(
  { env }: ServiceContext,
  id: string,
  period: { readonly from: number; readonly to: number },
): Promise<readonly AssetClose[]> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const sums = new CloseSums();
    let version: string | undefined;
    let isStable = true;
    let after: number | undefined = 0;
    while (after !== undefined && isStable) {
      const from: number = after;
      const slice = await reachMatching(env, id, (object) => object.closeSums(from, period));
      if (slice.isWorking)
        throw new AppError(
          "CONFLICT",
          "a run of the matching is working: the report waits for its end",
        );
      isStable = (version ??= slice.version) === slice.version;
      for (const sum of slice.sums) sums.add(sum);
      after = slice.next;
    }
    if (isStable) return closeByAsset(sums.all());
  }
  throw new AppError("CONFLICT", "the matching is being changed all the time; try again");
}
