import {
  type Check,
  compare,
  describeMetadata,
  describePostings,
  idOf,
  type Played,
} from "./checks.ts";
import { type Plan, stepsOf } from "./plan.ts";
import { Event } from "./wire.ts";
import { stringifyJson, parseJson } from "#platform/json.ts";
import type { Delivery } from "#scripts/lib/receiver.ts";

/** The event types that the demo subscribes to. */
export const EVENT_TYPES = [
  "ledger.committed_transactions",
  "ledger.reverted_transaction",
  "ledger.saved_metadata",
] as const;

/** Describes each event of a played plan by a unique text. */
export function expectedEvents(
  plan: Plan,
  { outcome, ids, revertIds }: Played,
): ReadonlySet<string> {
  const events = new Set<string>();
  for (const step of stepsOf(plan)) {
    switch (step.kind) {
      case "commit":
        if (step.fate === "kept") {
          const { reference, postings } = step.transaction;
          events.add(`commit ${idOf(ids, reference)} ${describePostings(postings)}`);
        }
        break;
      case "revert": {
        const postings = outcome.reverts.get(step.reference) ?? [];
        const id = idOf(revertIds, step.reference);
        events.add(`revert ${idOf(ids, step.reference)} by ${id} ${describePostings(postings)}`);
        break;
      }
      case "tagAccount":
        events.add(`tag ACCOUNT ${step.address} ${describeMetadata(step.metadata)}`);
        break;
      case "tagTransaction":
        events.add(
          `tag TRANSACTION ${idOf(ids, step.reference)} ${describeMetadata(step.metadata)}`,
        );
        break;
    }
  }
  return events;
}

/** Describes a delivery by the text of its event in `expectedEvents`; undefined for events of other ledgers. */
export function describeEvent(body: string, ledger: string): string | undefined {
  const value = parseJson(body);
  const parsed = Event.safeParse(value);
  if (!parsed.success) return `something else: ${stringifyJson(value).slice(0, 200)}`;
  const { type, payload } = parsed.data;
  if (payload.ledger !== ledger) return undefined;
  switch (type) {
    case "ledger.committed_transactions": {
      const [{ id, postings }] = payload.transactions;
      return `commit ${id} ${describePostings(postings)}`;
    }
    case "ledger.reverted_transaction": {
      const { revertedTransaction, revertTransaction } = payload;
      return `revert ${revertedTransaction.id} by ${revertTransaction.id} ${describePostings(revertTransaction.postings)}`;
    }
    case "ledger.saved_metadata":
      return `tag ${payload.targetType} ${payload.targetId} ${describeMetadata(payload.metadata)}`;
  }
}

/** The deliveries of a ledger, one for each id, because repeated attempts carry the same id. */
export function distinctDeliveries(
  deliveries: readonly Delivery[],
  ledger: string,
): ReadonlyMap<string, string> {
  const distinct = new Map<string, string>();
  for (const { id, body } of deliveries) {
    const event = describeEvent(body, ledger);
    if (event !== undefined) distinct.set(id, event);
  }
  return distinct;
}

/** Checks that every event arrived with exact amounts and under one id. */
export function checkEvents(
  distinct: ReadonlyMap<string, string>,
  expected: ReadonlySet<string>,
): Check {
  const idsByEvent = Map.groupBy(distinct, ([, event]) => event);
  const repeated = [...idsByEvent].filter(([, ids]) => ids.length > 1);
  return {
    title: `${expected.size} webhooks arrived, each once, with exact amounts`,
    differences: [
      ...compare(asMap(expected), asMap(idsByEvent.keys()), (event) => event),
      ...repeated.map(([event, ids]) => `${event} came under ${ids.length} ids`),
    ],
  };
}

const asMap = (events: Iterable<string>): ReadonlyMap<string, string> =>
  new Map([...events].map((event) => [event, "event"]));

/** Checks that all deliveries are signed and that the attempts of one delivery have the same bytes. */
export function checkSignatures(deliveries: readonly Delivery[]): Check {
  const bodies = new Map<string, string>();
  const differences: string[] = [];
  for (const { id, body, isSigned } of deliveries) {
    if (!isSigned) differences.push(`delivery ${id} has no valid signature`);
    if ((bodies.get(id) ?? body) !== body) differences.push(`delivery ${id} came with two bodies`);
    bodies.set(id, body);
  }
  return { title: `${deliveries.length} deliveries have a valid signature`, differences };
}
