import type { GroupDetail, GroupFilter } from "./engine/group-reads.ts";
import type { StoredGroup } from "./engine/groups.ts";
import type { DecisionAuthor } from "./engine/journal.ts";
import type { ListedIds, LineDetail, LineFilter, ScannedRows } from "./engine/line-reads.ts";
import { callMatching, reachMatching } from "./object-calls.ts";
import type { GroupDecision } from "./object/matching-object.ts";
import { getMatching } from "./store.ts";
import type { Group } from "#modules/reconciliation/core/matching/index.ts";
import { reconciliationSettings } from "#modules/reconciliation/settings.ts";
import { toPrincipalColumn } from "#platform/access/stored-principal.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { type Page, pageOf, scanOf } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";

/** A page of the groups of a matching that fit, in the order of their ids. Throws `NOT_FOUND` and `UNAUTHENTICATED`. */
export async function listGroups(
  context: ServiceContext,
  id: string,
  { filter, query }: { readonly filter: GroupFilter; readonly query: PageQuery },
): Promise<Page<StoredGroup>> {
  await getMatching(context, id);
  const scan = idScanOf(query);
  return idPage(
    query,
    await reachMatching(context.env, id, (object) => object.groups(filter, scan)),
  );
}

/** A page of the lines of a matching that fit, in the order of their ids. Throws `NOT_FOUND` and `UNAUTHENTICATED`. */
export async function listLines(
  context: ServiceContext,
  id: string,
  { filter, query }: { readonly filter: LineFilter; readonly query: PageQuery },
): Promise<Page<LineDetail>> {
  await getMatching(context, id);
  const scan = idScanOf(query);
  return idPage(
    query,
    await reachMatching(context.env, id, (object) => object.lines(filter, scan)),
  );
}

/** A group with its lines, its evidence, and what was decided about it. Throws `NOT_FOUND` and `UNAUTHENTICATED`. */
export async function getGroup(
  context: ServiceContext,
  id: string,
  group: number,
): Promise<GroupDetail> {
  await getMatching(context, id);
  const found = await reachMatching(context.env, id, (object) => object.group(group));
  if (found === undefined) throw new AppError("NOT_FOUND", `the matching has no group ${group}`);
  return found;
}

/** A line. Throws `NOT_FOUND` and `UNAUTHENTICATED`. */
export async function getLine(
  context: ServiceContext,
  id: string,
  line: number,
): Promise<LineDetail> {
  await getMatching(context, id);
  const found = await reachMatching(context.env, id, (object) => object.line(line));
  if (found === undefined) throw new AppError("NOT_FOUND", `the matching has no line ${line}`);
  return found;
}

/** Confirms or declines a proposal, or breaks a match. Throws `NOT_FOUND`, and `CONFLICT` where another one was first. */
export async function decide(
  context: ServiceContext,
  id: string,
  { note, ...decision }: Omit<GroupDecision, "by"> & { readonly note: string },
): Promise<GroupDetail> {
  await getMatching(context, id);
  const by = authorOf(context, note);
  return callMatching(context.env, id, (object) => object.decide({ ...decision, by }));
}

/** Matches lines by hand. Throws `VALIDATION`, `NOT_FOUND`, and `CONFLICT` where one of the lines is matched already. */
export async function matchByHand(
  context: ServiceContext,
  id: string,
  { note, ...group }: Group & { readonly note: string },
): Promise<GroupDetail> {
  await getMatching(context, id);
  const by = authorOf(context, note);
  const mustAddUp = reconciliationSettings.of(context.env).FLORIN_RECONCILIATION_FOUR_EYES;
  return callMatching(context.env, id, (object) => object.matchByHand({ ...group, mustAddUp }, by));
}

/** Who decides in a context. */
export const authorOf = (
  { principal, clock, requestId }: ServiceContext,
  note: string,
): DecisionAuthor => ({
  at: clock(),
  principal: toPrincipalColumn(principal),
  request: requestId,
  note,
});

export function idScanOf(query: PageQuery): ListedIds {
  const { order, bound, limit } = scanOf(query);
  return {
    order,
    bound:
      bound === undefined ? undefined : { id: Number(bound.key.value), inclusive: bound.inclusive },
    limit,
  };
}

export const idPage = <Row extends { readonly id: number }>(
  query: PageQuery,
  { rows, readTo }: ScannedRows<Row>,
): Page<Row> =>
  pageOf(query, rows, {
    keyOf: ({ id }) => ({ value: BigInt(id) }),
    readTo: readTo === undefined ? undefined : { value: BigInt(readTo) },
  });
