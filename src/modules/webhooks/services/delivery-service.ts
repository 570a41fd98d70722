import { mergeLanes } from "./merge-lanes.ts";
import { ReplayRequests } from "./replay-requests.ts";
import { endpointOf, TO_ENDPOINT } from "#modules/webhooks/configs/endpoints.ts";
import { LaneSpecs } from "#modules/webhooks/configs/lane-specs.ts";
import { parseDeliveryId } from "#modules/webhooks/core/delivery-id.ts";
import { unknownDelivery } from "#modules/webhooks/core/failures.ts";
import type {
  AttemptPosition,
  AttemptRecord,
  DeliveryDetail,
  DeliveryPosition,
  DeliveryQuery,
  DeliveryRecord,
} from "#modules/webhooks/core/lane.ts";
import type { ReplayCounts } from "#modules/webhooks/lane/lane-changes.ts";
import { present } from "#platform/assert.ts";
import type { ServiceContext } from "#platform/context.ts";
import { callObject, reachObject } from "#platform/objects/call.ts";
import { toMillis } from "#platform/time.ts";
import { settleAll } from "#platform/work/lanes.ts";

/** How many objects of endpoints are called at once for one request, and how long each may take, in milliseconds. */
const CALLS = { total: 24, perKey: 1, timeoutMs: 15_000 };

/** Most attempts in one answer of an object. Even with excerpts, they are far below what the answer of one call may hold. */
const ATTEMPTS_PER_CALL = 100;
/** Length of excerpts after which a page of attempts ends, in characters. */
const EXCERPTS_LENGTH_MAX = 4_000_000;

/** A page of a list, and whether further items follow. */
export interface ListPage<T> {
  readonly data: readonly T[];
  readonly hasMore: boolean;
}

/** The deliveries of some configs, or of all configs if `configIds` is absent. */
export interface DeliveryList extends Omit<DeliveryQuery, "order"> {
  readonly configIds?: readonly string[] | undefined;
}

/** The deliveries that a bulk replay attempts again. */
export interface BulkReplay {
  readonly statuses: readonly ("failed" | "pending")[];
  readonly configIds?: readonly string[] | undefined;
  /** First and last creation date, both inclusive, in milliseconds since the epoch. Without an end, it is the time of the request. */
  readonly fromMs: number;
  readonly toMs?: number | undefined;
  /** The last delivery of an earlier request, behind which this one continues. */
  readonly after?: DeliveryPosition | undefined;
  readonly limit: number;
}

export interface BulkReplayResult extends ReplayCounts {
  readonly toMs: number;
  readonly hasMore: boolean;
  /** The last delivery of the page, replayed or not. */
  readonly last?: DeliveryPosition | undefined;
}

/** The deliveries that a bulk replay was decided to replay. */
interface ReplayPlan {
  readonly ids: readonly string[];
  readonly toMs: number;
  readonly hasMore: boolean;
  readonly last?: DeliveryPosition | undefined;
}

/** The use cases of deliveries. The deliveries of a config are in the object of its endpoint; lists of several configs are merged here. */
export class DeliveryService {
  readonly #context: ServiceContext;
  readonly #specs: LaneSpecs;
  readonly #requests: ReplayRequests;

  constructor(context: ServiceContext) {
    this.#context = context;
    this.#specs = LaneSpecs.from(context.env);
    this.#requests = ReplayRequests.from(context);
  }

  static from(context: ServiceContext): DeliveryService {
    return new DeliveryService(context);
  }

  /** Lists deliveries, newest first. */
  async list({ configIds, limit, ...query }: DeliveryList): Promise<ListPage<DeliveryRecord>> {
    const lanes = await this.#specs.listIds({ ids: configIds });
    return this.#merge(lanes, { ...query, order: "desc", limit });
  }

  /** A delivery and its body. Throws `NOT_FOUND`. */
  async get(id: string): Promise<DeliveryDetail> {
    const { endpoint, seq } = await this.#locate(id);
    return callObject<DeliveryDetail>(endpoint.find(seq), TO_ENDPOINT);
  }

  /** Lists the attempts of a delivery, newest first. A page of long excerpts is shorter than the limit. Throws `NOT_FOUND`. */
  async attempts(
    id: string,
    { limit, after }: { readonly limit: number; readonly after?: AttemptPosition | undefined },
  ): Promise<ListPage<AttemptRecord>> {
    const { endpoint, seq } = await this.#locate(id);
    const found: AttemptRecord[] = [];
    let length = 0;
    while (found.length <= limit) {
      const part = {
        limit: Math.min(limit + 1 - found.length, ATTEMPTS_PER_CALL),
        after: positionOf(found.at(-1)) ?? after,
      };
      const rows = await callObject<AttemptRecord[]>(endpoint.attempts(seq, part), TO_ENDPOINT);
      found.push(...rows);
      if (rows.length < part.limit) break;
      for (const { responseExcerpt } of rows) length += responseExcerpt?.length ?? 0;
      if (length > EXCERPTS_LENGTH_MAX) return pageOf(found, Math.min(limit, found.length - 1));
    }
    return pageOf(found, limit);
  }

  /** Attempts a delivery again, once for each idempotency key. Throws `NOT_FOUND` or `CONFLICT`. */
  async replay(id: string, key: string): Promise<DeliveryDetail> {
    return this.#requests.answer({ key, request: ["delivery", id] }, async (name) => {
      const { endpoint, seq } = await this.#locate(id);
      return callObject<DeliveryDetail>(endpoint.replay(seq, name), TO_ENDPOINT);
    });
  }

  /** Attempts many deliveries again, the oldest first, once for each idempotency key. Throws `CONFLICT` for a key of another request. */
  async replayMany(input: BulkReplay, key: string): Promise<BulkReplayResult> {
    return this.#requests.answer({ key, request: ["deliveries", input] }, async (name, plan) => {
      const { ids, ...rest } = await plan(() => this.#planReplay(input));
      return { ...(await this.#replayAll(ids, name)), ...rest };
    });
  }

  async #planReplay({
    configIds,
    statuses,
    fromMs,
    after,
    limit,
    ...input
  }: BulkReplay): Promise<ReplayPlan> {
    const toMs = input.toMs ?? toMillis(this.#context.clock());
    const active = await this.#specs.listIds({ ids: configIds, isActive: true });
    const query = { statuses, fromMs, toMs, after, limit, order: "asc" } as const;
    const { data, hasMore } = await this.#merge(active, query);
    const last = data.at(-1);
    return {
      ids: data.map(({ id }) => id),
      toMs,
      hasMore,
      ...(last === undefined ? {} : { last: { createdMs: last.createdMs, id: last.id } }),
    };
  }

  async #replayAll(ids: readonly string[], name: string): Promise<ReplayCounts> {
    const bySection = Map.groupBy(
      ids.map((id) => present(parseDeliveryId(id), "ids of deliveries have their form")),
      ({ configPrefix }) => configPrefix,
    );
    const total = { replayed: 0, expedited: 0, skipped: 0 };
    for (const { counts } of await this.#onAll([...bySection], async ([prefix, addresses]) => {
      const endpoint = await this.#endpointOf(prefix);
      const seqs = addresses.map(({ seq }) => seq);
      return { counts: await reachObject(endpoint.replayMany(seqs, name), TO_ENDPOINT) };
    })) {
      total.replayed += counts.replayed;
      total.expedited += counts.expedited;
      total.skipped += counts.skipped;
    }
    return total;
  }

  /** A page of the deliveries of several lanes, merged. */
  async #merge(
    configIds: readonly string[],
    query: DeliveryQuery,
  ): Promise<ListPage<DeliveryRecord>> {
    const { limit } = query;
    const found = await mergeLanes(configIds, { ...query, limit: limit + 1 }, (id, part) =>
      reachObject(endpointOf(this.#context.env, id).list(part), TO_ENDPOINT),
    );
    return pageOf(found, limit);
  }

  /** Runs work for all items, some at a time. Throws the first error after all have ended. */
  async #onAll<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
    const found: R[] = [];
    const results = await settleAll([...items.entries()], {
      limits: CALLS,
      keyOf: ([index]) => `${index}`,
      run: async ([index, item]) => {
        found[index] = await work(item);
      },
    });
    const failed = results.find(({ error }) => error !== undefined);
    if (failed !== undefined) throw failed.error;
    return found;
  }

  async #locate(id: string) {
    const address = parseDeliveryId(id);
    if (address === undefined) throw unknownDelivery();
    return { endpoint: await this.#endpointOf(address.configPrefix), seq: address.seq };
  }

  async #endpointOf(prefix: string) {
    const [configId] = await this.#specs.listIds({ prefix });
    if (configId === undefined) throw unknownDelivery();
    return endpointOf(this.#context.env, configId);
  }
}

const positionOf = (attempt: AttemptRecord | undefined): AttemptPosition | undefined =>
  attempt && { generation: attempt.generation, number: attempt.number };

const pageOf = <T>(found: readonly T[], limit: number): ListPage<T> => ({
  data: found.slice(0, limit),
  hasMore: found.length > limit,
});
