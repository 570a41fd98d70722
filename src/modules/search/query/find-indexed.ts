import type { RowPosition } from "./position.ts";
import { readHits } from "./read-hits.ts";
import { type FoundHits, NOTHING_FOUND, type PlacedHit, type SearchQuery } from "./search-query.ts";
import { documentOf } from "#modules/search/core/objects.ts";
import { clauseOf, matches } from "#modules/search/core/terms.ts";
import type { ShardAnswer } from "#modules/search/shards/shard.ts";
import { findIn, shardsOf } from "#modules/search/shards/shards.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** Most objects that one request reads because they may match. */
const READ_MAX = 1000;
/** Objects that are read at once after the first ones did not suffice. */
const CHUNK = 100;

/**
 * Finds the first hits behind a position, shard by shard. What the index gives is read from its own API in the name of the principal, and
 * compared with the terms again, so that hits are as the objects are now.
 */
export async function findIndexed(
  context: ServiceContext,
  query: SearchQuery,
  { from, wanted }: { readonly from: RowPosition | undefined; readonly wanted: number },
): Promise<FoundHits> {
  const search = new IndexedSearch(context, query, wanted);
  const shards = shardsOf(query.kind, query.ledgers).filter(
    (shard) => from === undefined || shard >= from.shard,
  );
  const firsts = await Promise.all(
    shards.map((shard) => search.ask(shard, shard === from?.shard ? from : undefined, wanted)),
  );
  for (const [at, shard] of shards.entries()) {
    const first = firsts[at];
    if (first === undefined || (await search.take(shard, first))) break;
  }
  return search.found;
}

class IndexedSearch {
  readonly #context: ServiceContext;
  readonly #query: SearchQuery;
  readonly #wanted: number;
  readonly #hits: PlacedHit[] = [];
  #readCount = 0;
  #goesOnAt: RowPosition | undefined;
  #isPartial = false;

  constructor(context: ServiceContext, query: SearchQuery, wanted: number) {
    this.#context = context;
    this.#query = query;
    this.#wanted = wanted;
  }

  get found(): FoundHits {
    if (this.#hits.length === 0 && this.#goesOnAt === undefined && !this.#isPartial) {
      return NOTHING_FOUND;
    }
    const goesOnAt = this.#goesOnAt === undefined ? {} : { goesOnAt: this.#goesOnAt };
    return { hits: this.#hits, isPartial: this.#isPartial, ...goesOnAt };
  }

  async ask(shard: number, from: RowPosition | undefined, limit: number): Promise<ShardAnswer> {
    const { kind, terms, policy, ledgers } = this.#query;
    const { env, principal } = this.#context;
    const answer = await findIn(env, shard, {
      kind,
      clauses: terms.map(clauseOf),
      policy,
      ledgers,
      patterns: principal.ledgers,
      after: from?.row,
      limit,
    });
    if (from !== undefined && from.generation !== answer.generation) {
      throw new AppError(
        "VALIDATION",
        "the index was rebuilt since the page before; search again from the beginning",
      );
    }
    return answer;
  }

  /** Takes hits of a shard, first from an answer of the shard. Returns whether the search has ended. */
  async take(shard: number, first: ShardAnswer): Promise<boolean> {
    let answer = first;
    let limit = this.#wanted;
    for (;;) {
      const { candidates = [], isPartial = false } = answer.answers[0] ?? {};
      this.#isPartial ||= isPartial;
      const positionOf = (row: number) => ({ shard, generation: answer.generation, row });
      for (const { candidate, hit } of await readHits(
        this.#context,
        this.#query.kind,
        candidates,
      )) {
        if (hit === undefined || !this.#fits(hit)) continue;
        this.#hits.push({ hit, position: positionOf(candidate.row) });
        if (this.#hits.length >= this.#wanted) return true;
      }
      const last = candidates.at(-1);
      if (last === undefined || candidates.length < limit) return false;
      this.#readCount += candidates.length;
      if (this.#readCount >= READ_MAX) {
        this.#goesOnAt = positionOf(last.row);
        return true;
      }
      limit = CHUNK;
      answer = await this.ask(shard, positionOf(last.row), limit);
    }
  }

  #fits(hit: Readonly<Record<string, unknown>>): boolean {
    const { kind, terms, policy } = this.#query;
    return matches(documentOf(kind, hit), terms, policy);
  }
}
