import { noteGap } from "./gaps.ts";
import { type ListedKind, readObject } from "#modules/search/api/lists.ts";
import { asReader } from "#modules/search/api/reader.ts";
import { type IndexedObject, indexedObject } from "#modules/search/core/indexed.ts";
import type { Kind } from "#modules/search/core/kinds.ts";
import { isIndexed, objectOfEvent } from "#modules/search/core/module-events.ts";
import { searchSettings } from "#modules/search/settings.ts";
import { callShard, shardObject, shardOf } from "#modules/search/shards/shards.ts";
import type { ServiceContext } from "#platform/context.ts";
import { eventName, type PlatformEvent } from "#platform/events/envelope.ts";
import type { EventsMessage, LedgerMessage } from "#platform/events/messages.ts";
import type { EventListener } from "#platform/events/source.ts";
import { logError } from "#platform/log.ts";

/**
 * Passes on what is new to the shards of the index, before it is confirmed. A shard reads the entries of a ledger by itself, so that this
 * listener wants no events of ledgers. A shard that cannot be reached holds up nobody: the gap is stored in D1, and the sweep repairs it.
 */
export const searchListener: EventListener = {
  wants: async ({ name }, { env }) => isOn(env) && isIndexed(name),
  open: async (messages, context) => {
    const ledgers = lastMessages(messages);
    await Promise.all(ledgers.map((message) => advance(message, context)));
    if (messages.every(({ source }) => source === "ledger")) return undefined;
    return async (events, message) => {
      if (message.source === "outbox") await acceptEvents(events, context);
    };
  },
};

const isOn = (env: Env): boolean => searchSettings.of(env).FLORIN_SEARCH === "on";

/** Objects that are read at once for the events of one message. */
const READS_AT_ONCE = 10;

const OFF = "FLORIN_SEARCH was off";

/** The message of each ledger that goes furthest. */
function lastMessages(messages: readonly EventsMessage[]): LedgerMessage[] {
  const last = new Map<string, LedgerMessage>();
  for (const message of messages) {
    if (message.source !== "ledger") continue;
    const known = last.get(message.uuid);
    if (known === undefined || known.to < message.to) last.set(message.uuid, message);
  }
  return [...last.values()];
}

async function advance(
  { ledger, uuid, to }: LedgerMessage,
  context: ServiceContext,
): Promise<void> {
  const { env } = context;
  const gap = { origin: uuid, ledger };
  if (!isOn(env)) return noteGap(context, { ...gap, reason: OFF });
  try {
    await callShard(shardObject(env, shardOf(ledger)).advance({ name: ledger, uuid }, to));
  } catch (error) {
    await noteFailure(context, { ...gap, error });
  }
}

async function acceptEvents(
  events: readonly PlatformEvent[],
  context: ServiceContext,
): Promise<void> {
  const { env } = context;
  const named = events.flatMap((event) => objectOfEvent(eventName(event), event) ?? []);
  for (const [kind, ofKind] of Map.groupBy(named, (object) => object.kind)) {
    const gap = { origin: kind, ledger: "" };
    if (!isOn(env)) {
      await noteGap(context, { ...gap, reason: OFF });
      continue;
    }
    try {
      const objects = [...ofKind, ...(await readObjects(context, kind, ofKind))];
      await callShard(shardObject(env, shardOf(kind)).accept(kind, objects));
    } catch (error) {
      await noteFailure(context, { ...gap, error });
    }
  }
}

/**
 * The objects of events as they are now: the amount of a payment, for example, follows from all of its adjustments, and an event tells of
 * one. What an event says is indexed, too.
 */
async function readObjects(
  context: ServiceContext,
  kind: Kind,
  named: readonly IndexedObject[],
): Promise<IndexedObject[]> {
  const reader = asReader(context);
  const keys = [...new Set(named.map(({ key }) => key))];
  const objects: IndexedObject[] = [];
  for (let at = 0; at < keys.length; at += READS_AT_ONCE) {
    const reads = keys.slice(at, at + READS_AT_ONCE).map(async (key) => {
      const object = await readObject(reader, kind as ListedKind, key); // kinds of events have lists
      if (object !== undefined) objects.push(indexedObject(kind, key, object));
    });
    await Promise.all(reads);
  }
  return objects;
}

async function noteFailure(
  context: ServiceContext,
  { origin, ledger, error }: { origin: string; ledger: string; error: unknown },
): Promise<void> {
  logError("the search did not take events; the sweep repairs the gap", error, { origin });
  const reason = error instanceof Error ? error.message : "the shard failed";
  await noteGap(context, { origin, ledger, reason });
}
