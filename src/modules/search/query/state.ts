import { type Gap, listGaps } from "#modules/search/follow/gaps.ts";
import { searchSettings } from "#modules/search/settings.ts";
import type { ShardState } from "#modules/search/shards/shard.ts";
import { callShard, shardObject, SHARD_NUMBERS } from "#modules/search/shards/shards.ts";
import { SEARCH_SWEEP } from "#modules/search/sweep-names.ts";
import type { ServiceContext } from "#platform/context.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";

/** How the index is, for operators. */
export interface SearchState {
  readonly isOn: boolean;
  readonly shards: readonly (ShardState & { readonly shard: number })[];
  readonly gaps: readonly Gap[];
}

/** Reads how far each shard is, and which events have not reached the index. */
export async function readState({ env }: ServiceContext): Promise<SearchState> {
  const shards = await Promise.all(
    SHARD_NUMBERS.map(async (shard) => ({
      shard,
      ...(await callShard(shardObject(env, shard).state())),
    })),
  );
  const isOn = searchSettings.of(env).FLORIN_SEARCH === "on";
  return { isOn, shards, gaps: await listGaps({ env }) };
}

/** Has every shard build a new index, while the one that it has serves. A rebuild that is under way begins anew. */
export async function rebuild({ env, clock }: ServiceContext): Promise<void> {
  await Promise.all(SHARD_NUMBERS.map((shard) => callShard(shardObject(env, shard).rebuild())));
  await armClock(env, SEARCH_SWEEP, toMillis(clock()));
}
