import { env } from "cloudflare:workers";
import type { SourceLine, SourceLinesPage } from "#modules/reconciliation/core/source-line.ts";
import {
  type CollectedQuery,
  readSourceLines,
} from "#modules/reconciliation/sources/read-lines.ts";
import { sourceOf } from "#modules/reconciliation/sources/store.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import { ALL_SCOPES, api, freshName } from "#test/support/platform/api.ts";
import { dataOf } from "#test/support/reconciliation/books.ts";

export const SOURCES = "/api/florin/v1/reconciliation/sources";

/** A context with all scopes. */
export function readingContext(): ServiceContext {
  const context = systemContext(env, "test");
  return { ...context, principal: { ...context.principal, scopes: new Set(ALL_SCOPES) } };
}

export interface SourceView {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
}

export const newSource = async (fields: object): Promise<SourceView> =>
  dataOf(await api(SOURCES, { body: { name: freshName("source"), ...fields } }), 201);

/** A page of a source's lines, as a matching collects them. */
export async function collect(
  id: string,
  query: Partial<CollectedQuery> = {},
): Promise<SourceLinesPage> {
  const context = readingContext();
  return readSourceLines(context, await sourceOf(context, id), {
    after: undefined,
    from: 0,
    to: undefined,
    limit: 1000,
    collector: "m",
    ...query,
  });
}

/** All lines of a source from a position on, and the number of pages that had them. */
export async function collectAll(
  id: string,
  query: Partial<CollectedQuery> = {},
): Promise<{ lines: SourceLine[]; pages: number; position: string }> {
  const lines: SourceLine[] = [];
  let after = query.after;
  for (let pages = 1; ; pages++) {
    const page = await collect(id, { ...query, after });
    lines.push(...page.lines);
    after = page.position;
    if (page.isLast) return { lines, pages, position: page.position };
  }
}
