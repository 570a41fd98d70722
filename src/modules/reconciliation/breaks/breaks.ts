import type { StoredCorrection } from "#modules/reconciliation/corrections/correction.ts";
import { correctionsOfLine } from "#modules/reconciliation/corrections/store.ts";
import type {
  BreakChange,
  BreakDetail,
  BreakEvent,
} from "#modules/reconciliation/matchings/desk/break-work.ts";
import { type BreakSum, BreakSums } from "#modules/reconciliation/matchings/desk/sums.ts";
import type { LineFilter } from "#modules/reconciliation/matchings/engine/line-reads.ts";
import { authorOf, idPage, idScanOf } from "#modules/reconciliation/matchings/groups.ts";
import { callMatching, reachMatching } from "#modules/reconciliation/matchings/object-calls.ts";
import { getMatching } from "#modules/reconciliation/matchings/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";

/** A break with everything that was said and done about it. */
export interface BreakHistory extends BreakDetail {
  /** The oldest first. */
  readonly events: readonly BreakEvent[];
  /** The newest first. */
  readonly corrections: readonly StoredCorrection[];
}

/** A page of the lines of a matching that are not matched, in the order of their ids. Throws `NOT_FOUND` and `UNAUTHENTICATED`. */
export async function listBreaks(
  context: ServiceContext,
  id: string,
  { filter, query }: { readonly filter: Omit<LineFilter, "state">; readonly query: PageQuery },
): Promise<Page<BreakDetail>> {
  await getMatching(context, id);
  const scan = idScanOf(query);
  return idPage(
    query,
    await reachMatching(context.env, id, (object) => object.breaks(filter, scan)),
  );
}

/** A break. Throws `NOT_FOUND`, also for a line that was never open, and `UNAUTHENTICATED`. */
export async function getBreak(
  context: ServiceContext,
  id: string,
  line: number,
): Promise<BreakHistory> {
  await getMatching(context, id);
  const found = await reachMatching(context.env, id, (object) => object.breakOf(line));
  if (found === undefined) throw new AppError("NOT_FOUND", `the matching has no line ${line}`);
  return { ...found, corrections: await correctionsOfLine(context, { matchingId: id, line }) };
}

/** Changes the status or the assignee of a break. Throws `NOT_FOUND`, and `CONFLICT` for a line that is matched. */
export async function changeBreak(
  context: ServiceContext,
  id: string,
  { line, ...change }: BreakChange & { readonly line: number },
): Promise<BreakHistory> {
  await getMatching(context, id);
  const by = authorOf(context, "");
  await callMatching(context.env, id, (object) => object.changeBreak(line, change, by));
  return getBreak(context, id, line);
}

/** Adds a comment to a line. Throws `NOT_FOUND`, and `CONFLICT` for a line with as many as there may be. */
export async function commentBreak(
  context: ServiceContext,
  id: string,
  { line, text }: { readonly line: number; readonly text: string },
): Promise<BreakHistory> {
  await getMatching(context, id);
  const by = authorOf(context, "");
  await callMatching(context.env, id, (object) => object.commentBreak(line, text, by));
  return getBreak(context, id, line);
}

/** What is open, by side, asset, class and age at a day. Lines that change meanwhile count as they were or as they are. */
export async function breakSums(
  context: ServiceContext,
  id: string,
  today: number,
): Promise<readonly BreakSum[]> {
  await getMatching(context, id);
  const sums = new BreakSums();
  let after: number | undefined = 0;
  while (after !== undefined) {
    const from: number = after;
    const slice = await reachMatching(context.env, id, (object) => object.breakSums(from, today));
    for (const sum of slice.sums) sums.add(sum);
    after = slice.next;
  }
  return sums.all();
}
