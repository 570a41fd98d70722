import { authorOf } from "./groups.ts";
import { callMatching } from "./object-calls.ts";
import type { MatchSide } from "#modules/reconciliation/core/matching/line.ts";
import type { SourceLine } from "#modules/reconciliation/core/source-line.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";

/**
 * Keeps runs and people from matching lines for which a booking is under way. Holding them twice for one correction changes nothing. Throws
 * `CONFLICT` where another one has taken a line.
 */
export const holdLines = (
  { env }: Pick<ServiceContext, "env">,
  matchingId: string,
  held: { readonly correction: string; readonly lines: readonly number[] },
): Promise<void> => callMatching(env, matchingId, (object) => object.hold(held));

/** Opens the lines that a correction holds, if it holds any. */
export const releaseLines = (
  { env }: Pick<ServiceContext, "env">,
  matchingId: string,
  correction: string,
): Promise<void> => callMatching(env, matchingId, (object) => object.release(correction));

/** The end of a correction: the lines that it holds belong together with those of its booking. */
export interface ClosedLines {
  readonly correction: string;
  readonly side: MatchSide;
  readonly booked: readonly SourceLine[];
  readonly what: "correct" | "write_off";
  readonly by: { readonly principal: Principal; readonly note: string };
}

/**
 * Matches the lines that a correction holds with those of its booking. Closing twice gives the group of the first time. Throws `CONFLICT` where
 * they do not add up.
 */
export const closeLines = (
  context: ServiceContext,
  matchingId: string,
  { by, ...closed }: ClosedLines,
): Promise<number> => {
  const author = authorOf({ ...context, principal: by.principal }, by.note);
  return callMatching(context.env, matchingId, (object) => object.close({ ...closed, by: author }));
};
