import type { TriggerFilter } from "./filter.ts";
import { type EqualityTest, type ExprValue, memberKeyAt } from "#expr";
import type { Trigger } from "#modules/orchestration/triggers/trigger.ts";
import { stringifyJson } from "#platform/json.ts";

/** A trigger that an event may fire: the index has decided that it fires, or its filter has to be evaluated. */
export interface TriggerCandidate {
  readonly trigger: Trigger;
  readonly isDecided: boolean;
}

interface Entry {
  readonly trigger: Trigger;
  readonly test: EqualityTest | undefined;
}

/** The triggers whose filters begin with a test of one member, by the value that they expect. */
interface Attribute {
  readonly path: readonly string[];
  readonly byKey: Map<string, Entry[]>;
}

/**
 * The triggers of one type of event, by the test of equality with which their filters begin. An event costs one lookup for each member that
 * is tested, and the work of the triggers that it finds, however many others there are. This is the predicate index of rule systems
 * (Hanson, Chaabouni, Kim and Wang, "A predicate matching algorithm for database rule systems", SIGMOD 1990), with a hash table for each
 * attribute, because all tests are of equality:
 *
 *  ```
 *  SAVED_PAYMENT ─┬─ status ──┬─ "SUCCEEDED" → triggers 1, 7
 *                 │           └─ "FAILED"    → trigger 2
 *                 ├─ metadata.kind ─ "k5"    → trigger 9
 *                 └─ filters that begin otherwise → triggers 3, 4
 *  ```
 *
 * The index decides as an evaluation does: a filter whose member differs lets nothing through. A path that ends before its member is an
 * error of the filter, so that all filters with this path are candidates.
 */
export class PredicateIndex {
  readonly #attributes = new Map<string, Attribute>();
  readonly #others: Entry[] = [];

  constructor(filters: readonly TriggerFilter[]) {
    for (const { trigger, test } of filters) {
      const entry = { trigger, test };
      if (test === undefined) {
        this.#others.push(entry);
        continue;
      }
      const name = stringifyJson(test.path);
      const attribute: Attribute = this.#attributes.get(name) ?? {
        path: test.path,
        byKey: new Map<string, Entry[]>(),
      };
      this.#attributes.set(name, attribute);
      const entries = attribute.byKey.get(test.key);
      if (entries === undefined) attribute.byKey.set(test.key, [entry]);
      else entries.push(entry);
    }
  }

  /** The triggers that fire for a payload, and those whose filters have to be evaluated. */
  candidates(payload: ExprValue): TriggerCandidate[] {
    const found = this.#others.map(({ trigger }) => ({
      trigger,
      isDecided: trigger.filter === undefined,
    }));
    for (const { path, byKey } of this.#attributes.values()) {
      const member = memberKeyAt(payload, path);
      if (member.kind === "fails") {
        const all = [...byKey.values()].flat();
        found.push(...all.map(({ trigger }) => ({ trigger, isDecided: false })));
        continue;
      }
      const entries = member.key === undefined ? undefined : byKey.get(member.key);
      for (const { trigger, test } of entries ?? []) {
        found.push({ trigger, isDecided: test?.isWhole === true });
      }
    }
    return found;
  }
}
