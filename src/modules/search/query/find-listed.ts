import { type FoundHits, NOTHING_FOUND, type PlacedHit, type SearchQuery } from "./search-query.ts";
import { type ListedKind, readList } from "#modules/search/api/lists.ts";
import { type ApiObject, documentOf } from "#modules/search/core/objects.ts";
import { matches } from "#modules/search/core/terms.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** Most objects of a list that a search looks at, from the beginning of the list. */
const OBJECTS_MAX = 1000;

/** Finds the first hits behind an object in the list of a kind that is in no index. */
export async function findListed(
  context: ServiceContext,
  query: SearchQuery & { readonly kind: ListedKind },
  { after, wanted }: { readonly after: string | undefined; readonly wanted: number },
): Promise<FoundHits> {
  const { kind, terms, policy } = query;
  const list = await readAll(context, kind);
  if (list === undefined) return NOTHING_FOUND;
  const start = after === undefined ? 0 : list.objects.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) {
    throw new AppError("VALIDATION", `after: there is no ${kind} with the id '${after}'`);
  }
  const hits: PlacedHit[] = [];
  for (const object of list.objects.slice(start)) {
    if (hits.length >= wanted) break;
    if (!matches(documentOf(kind, object), terms, policy)) continue;
    hits.push({ hit: { ...object, kind }, position: { id: object.id as string } });
  }
  return { hits, isPartial: !list.isWhole };
}

async function readAll(
  context: ServiceContext,
  kind: ListedKind,
): Promise<{ objects: ApiObject[]; isWhole: boolean } | undefined> {
  const objects: ApiObject[] = [];
  for (let cursor: string | null = ""; objects.length < OBJECTS_MAX;) {
    const page = await readList(context, kind, cursor);
    if (page === undefined) return undefined;
    objects.push(...page.objects);
    if (page.next === null) return { objects, isWhole: true };
    cursor = page.next;
  }
  return { objects, isWhole: false };
}
