import type { ShardAnswer } from "./shard.ts";
import type { Kind } from "#modules/search/core/kinds.ts";
import { KINDS } from "#modules/search/core/kinds.ts";
import type { IndexQuery } from "#modules/search/engine/search-index.ts";
import { objectAt } from "#platform/objects/address.ts";
import { type ObjectCall, callObject } from "#platform/objects/call.ts";

/**
 * The number of shards. A ledger is in the shard that its name gives, and the objects of a kind in the shard of the kind's name, so that the
 * number never changes. A search in all ledgers asks each shard once.
 */
export const SHARDS = 8;

/** All shards, by their numbers. */
export const SHARD_NUMBERS: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);

/** The shard of a ledger or of a kind: its name's hash (FNV-1a, 32 bits) modulo the number of shards. */
export function shardOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return (hash >>> 0) % SHARDS;
}

export const shardObject = (env: Pick<Env, "SEARCH_SHARDS">, shard: number) =>
  objectAt(env, env.SEARCH_SHARDS, `${shard}`);

/** Calls that change something may be repeated, because objects are stored by their ids, and entries once. */
const TO_SHARD: ObjectCall = { object: "search", isRepeatable: true, timeoutMs: 10_000 };

/** Calls a shard. Throws `OVERLOADED` if the shard does not answer, and `STORAGE_FULL`. */
export const callShard = <T>(call: Parameters<typeof callObject<T>>[0]): Promise<T> =>
  callObject(call, TO_SHARD);

/** The shards that have objects of a kind; `ledgers` are the only ledgers that count, undefined for all. */
export function shardsOf(kind: Kind, ledgers: readonly string[] | undefined): number[] {
  switch (KINDS[kind].home) {
    case "events":
      return [shardOf(kind)];
    case "ledger":
      return ledgers === undefined
        ? [...SHARD_NUMBERS]
        : [...new Set(ledgers.map(shardOf))].toSorted((a, b) => a - b);
    case "list":
      return [];
  }
}

/** Asks a shard for the objects that may match a search. */
export async function findIn(
  env: Pick<Env, "SEARCH_SHARDS">,
  shard: number,
  query: IndexQuery,
): Promise<ShardAnswer> {
  return callShard(shardObject(env, shard).find([query]));
}
