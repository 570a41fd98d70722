import { type IndexedEvent, type IndexedObject, indexedObject } from "./indexed.ts";
import type { Kind } from "./kinds.ts";
import type { ApiObject } from "./objects.ts";

/** How an event of a module in D1 tells of an object. */
interface EventSpec {
  readonly kind: Kind;
  /** The member of the payload that has the object's id. */
  readonly id: string;
  /** Members of the payload whose names differ from those of the object. */
  readonly renamed?: Readonly<Record<string, string>>;
}

const INSTANCE: EventSpec = { kind: "INSTANCE", id: "instanceID", renamed: { id: "workflowID" } };

/** The events that tell of objects which have changed, by the name of the event. */
const EVENTS: Readonly<Record<string, EventSpec>> = {
  "payments.saved_payment": { kind: "PAYMENT", id: "id" },
  "payments.saved_payment_metadata": { kind: "PAYMENT", id: "id" },
  "payments.saved_account": { kind: "PAYMENT_ACCOUNT", id: "id" },
  "payments.saved_bank_account": { kind: "BANK_ACCOUNT", id: "id" },
  "payments.saved_bank_account_metadata": { kind: "BANK_ACCOUNT", id: "id" },
  "payments.saved_pool": { kind: "POOL", id: "id" },
  "payments.saved_payment_initiation": { kind: "PAYMENT_INITIATION", id: "id" },
  "payments.saved_payment_initiation_adjustment": {
    kind: "PAYMENT_INITIATION",
    id: "paymentInitiationID",
  },
  "orchestration.started_workflow": INSTANCE,
  "orchestration.failed_workflow": INSTANCE,
};

/** Whether an event tells of an object that the index holds; `name` is that of webhooks. */
export const isIndexed = (name: string): boolean => Object.hasOwn(EVENTS, name);

/** What an event says about an object; undefined for an event about no object of the index. */
export function objectOfEvent(
  name: string,
  { payload }: Pick<IndexedEvent, "payload">,
): IndexedObject | undefined {
  const spec = isIndexed(name) ? EVENTS[name] : undefined;
  if (spec === undefined) return undefined;
  const { kind, id: member, renamed = {} } = spec;
  const given = payload as ApiObject; // its module has written it
  const key = given[member];
  if (typeof key !== "string") return undefined;
  const members = Object.entries(given).map(([name, value]) => [renamed[name] ?? name, value]);
  const object = Object.fromEntries(members) as ApiObject; // members of any type
  return indexedObject(kind, key, { ...object, id: key });
}
