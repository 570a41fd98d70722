import { memberText, parseSchemaText, queryMember, toSchemaText } from "./ledger-schema.ts";
import { isInStoredOrder } from "./stored-order.ts";
import { compareBytes } from "#ledger-engine/rules/canonical.ts";

/*
 * The parameters of a query template have an order, which the hash of a log entry covers. The reference server computes the hash over
 * the order of the request, and stores the parameters as `jsonb` of PostgreSQL, which keeps members by the length of their names and
 * then by their bytes. Its exports therefore show an order that the hash mostly does not cover:
 *
 *   request   {"groupBy":1,"insertionDate":true,"pageSize":3}   -> hash
 *   export    {"groupBy":1,"pageSize":3,"insertionDate":true}   -> searched for the order that gives the hash
 */

/** Most work of the search for one schema, in steps of scripts, each about a microsecond. */
const SEARCH_STEPS_MAX = 200_000;
/** The work of trying an order, besides hashing: this many steps, and one step for `CHARACTERS_PER_STEP` characters. */
const ORDER_STEPS = 3;
const CHARACTERS_PER_STEP = 300;

/** The outcome of a search. `steps` is the work of the search. */
export interface OrderSearch {
  readonly steps: number;
  /** The hash covers the given text, another order (`text`), no order at all, or no order among those that the search could try. */
  readonly outcome: "given" | "found" | "none" | "unknown";
  readonly text: string;
}

/** Searches for an order of the parameters of all queries whose text `isHashed` accepts. `text` is the result of `toSchemaText`. */
export function searchOrder(text: string, isHashed: (text: string) => boolean): OrderSearch {
  if (isHashed(text)) return { steps: 0, outcome: "given", text };
  const stepsOfOne = ORDER_STEPS + Math.ceil(text.length / CHARACTERS_PER_STEP);
  let steps = 0;
  for (const candidate of textsOf(text)) {
    if (steps >= SEARCH_STEPS_MAX) return { steps, outcome: "unknown", text };
    steps += stepsOfOne;
    if (isHashed(candidate)) return { steps, outcome: "found", text: candidate };
  }
  return { steps, outcome: "none", text };
}

/** The texts of a schema with the parameters of its queries in every order, if the given order is that of PostgreSQL; else none. */
function* textsOf(text: string): Generator<string> {
  const { slots, tail } = slotsOf(text);
  const isStored = slots.every(({ members }) => isInStoredOrder(members.map(([name]) => name)));
  if (isStored && slots.length > 0) yield* filled(slots, tail);
}

/** The members of the parameters of a query, as JSON by name, and the text between the slot before and this slot. */
interface Slot {
  readonly before: string;
  readonly members: readonly (readonly [name: string, text: string])[];
}

/**
 * Takes the text of a schema apart at the parameters of its queries:
 *
 *     {"chart":{},"queries":{"q":{"resource":"logs","params":{"sort":"id:asc","pageSize":2}},"r":{…}},"version":…
 *     `------------------- before ------------------------´ `-------- members ---------´`------ tail or the next before
 */
function slotsOf(text: string): { readonly slots: readonly Slot[]; readonly tail: string } {
  const { queries, ...rest } = parseSchemaText(text);
  const slots: Slot[] = [];
  const head = toSchemaText({ ...rest, queries: new Map() }).slice(0, -1);
  let [start, position] = [0, `${head},"queries":{`.length];
  for (const [id, query] of [...queries].toSorted(([a], [b]) => compareBytes(a, b))) {
    const entry = queryMember(id, query);
    const members = Object.entries(query.givenParams).map(
      ([name, value]) => [name, memberText(name, value)] as const,
    );
    if (members.length > 1) {
      // `PARAMS` cannot occur within a text, because quotes in texts are escaped.
      const from = position + entry.indexOf(PARAMS) + PARAMS.length;
      slots.push({ before: text.slice(start, from), members });
      start = from + members.map(([, member]) => member).join(",").length;
    }
    position += entry.length + 1;
  }
  return { slots, tail: text.slice(start) };
}

const PARAMS = ',"params":{';

/** The texts with the members of all slots in every order. */
function* filled([slot, ...others]: readonly Slot[], tail: string, head = ""): Generator<string> {
  if (slot === undefined) {
    yield head + tail;
    return;
  }
  for (const members of permutations(slot.members.map(([, member]) => member))) {
    yield* filled(others, tail, `${head}${slot.before}${members.join(",")}`);
  }
}

/** All permutations of items, in lexicographic order of their indexes, so that the given order comes first. */
function* permutations<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length < 2) yield items;
  else {
    for (const [index, item] of items.entries()) {
      for (const others of permutations(items.toSpliced(index, 1))) yield [item, ...others];
    }
  }
}
