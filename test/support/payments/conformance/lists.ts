import { describe, expect, test } from "vitest";
import {
  type Bench,
  type Conformance,
  fetchOf,
  type ListCase,
  openBench,
  type UnknownValue,
} from "./subject.ts";
import type { FetchRequest, ItemTask } from "#modules/payments/connectors/contract.ts";
import { idOf } from "#modules/payments/connectors/kit/items.ts";
import type {
  ProviderAccount,
  ProviderBalance,
  RejectedItem,
} from "#modules/payments/connectors/provider-objects.ts";
import { FETCHED_KINDS } from "#modules/payments/polling/fetched-kinds.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { FakePsp } from "#test/support/psp/fake-psp.ts";

const PAGE_SIZE = 2;
/** Items of a list, for more than two pages. */
const ITEMS = 2 * PAGE_SIZE + 1;
/** The most pages of a walk. A list that goes on for longer has no end. */
const PAGES_MAX = 40;
/** The most runs until a connector finds items that a fault has hidden. */
const RUNS_MAX = 3;

/** Each list of a connector is read to its end from any state, and a fault of the provider loses none of its items. */
export function listConformance<P extends FakePsp>(subject: Conformance<P>): void {
  describe.each(subject.lists)("$task", (list) => {
    const open = () => openList(subject, list);
    const { max = ITEMS, always = [] } = list;
    const count = Math.min(ITEMS, max);

    test("a list of the connector gives nothing of an empty account", async () => {
      const { read } = open();
      expect(await read(undefined)).toMatchObject({ found: new Set(always), hasMore: false });
    });

    if (list.add === undefined) return;

    test("a list of the connector is read to its end", async () => {
      const { read, add } = open();
      const added = add(count);
      expect((await read(undefined)).found).toEqual(new Set([...always, ...added]));
    });

    test("a list of the connector goes on from any state, and gives a page again that could not be stored", async () => {
      const { read, add } = open();
      const added = add(count);
      const { states } = await read(undefined);
      for (const [at, state] of states.entries()) {
        const again = await read(state);
        const before = states.slice(0, at + 1).flatMap((each) => each.given);
        expect(new Set([...before, ...again.found])).toEqual(new Set([...always, ...added]));
      }
    });

    test("a list of the connector finds what is added later", async () => {
      const { read, add } = open();
      const first = add(count - 1);
      const { state } = await read(undefined);
      const later = add(1);
      const { found } = await read({ state });
      const all = [...always, ...first, ...later];
      expect(new Set([...always, ...first, ...found])).toEqual(new Set(all));
    });

    test("a list of the connector loses nothing when a page comes twice", async () => {
      const { bench, read, add } = open();
      const added = add(count);
      bench.psp.fail({ kind: "none" }, { kind: "repeat-answer" });
      let { found, state } = await read(undefined);
      for (let run = 1; run < RUNS_MAX; run++) {
        const next = await read({ state });
        found = new Set([...found, ...next.found]);
        state = next.state;
      }
      expect(found).toEqual(new Set([...always, ...added]));
    });

    test.runIf(ISOLATED.has(list.task))("a list sets aside what cannot be read of it", async () => {
      const { bench, read, add } = open();
      const ids = [...always, ...add(count)];
      const spoilt = new Set<string>();
      bench.psp.spoil = (answer) => withBadValue(answer, ids, (id) => spoilt.add(id));
      const { found, rejected } = await read(undefined);
      expect(ids.filter((id) => !found.has(id) && !spoilt.has(id))).toEqual([]);
      // Nothing was spoilt in a list of a single object, or of objects whose ids differ from the references.
      if (spoilt.size === 0) return;
      const bad = rejected.find(({ id }) => !ids.includes(id));
      expect(bad?.reason).toContain("not valid");
    });

    test("a list of the connector gives valid objects, with what the provider has sent", async () => {
      const { read, add } = open();
      add(count);
      const { items } = await read(undefined);
      for (const item of items) expect(problemOf(list.task, item)).toBeUndefined();
    });
  });

  unknownValues(subject);
}

function unknownValues<P extends FakePsp>(subject: Conformance<P>): void {
  if (subject.unknownValues.length === 0) return;
  describe("a value that is not known", () => {
    test.each(subject.unknownValues)(
      "a value that is not known: $name",
      async (value: UnknownValue<P>) => {
        const { read, bench } = openList(subject, value);
        value.arrange(bench.psp);
        const { items } = await read(undefined);
        if (value.expected === undefined) return expect(items).toEqual([]);
        expect(items).toMatchObject([value.expected]);
        expect(problemOf(value.task, items[0])).toBeUndefined();
      },
    );
  });
}

/** Tasks whose pages contain several independent items. */
const ISOLATED: ReadonlySet<string> = new Set([
  "FETCH_ACCOUNTS",
  "FETCH_EXTERNAL_ACCOUNTS",
  "FETCH_PAYMENTS",
]);
const BAD_VALUE = "what no schema takes";

/** An answer in which the second object of each list of objects with the given ids has an invalid value. */
function withBadValue(
  value: unknown,
  ids: readonly string[],
  onSpoilt: (id: string) => void,
): unknown {
  if (Array.isArray(value)) {
    const items = value.map((each: unknown) => withBadValue(each, ids, onSpoilt));
    if (items.length < 2 || !items.every((each) => ids.includes(idOf(each)))) return items;
    onSpoilt(idOf(items[1]));
    return items.with(1, BAD_VALUE);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withBadValue(member, ids, onSpoilt)]),
  );
}

interface Place {
  readonly state: unknown;
}

interface Walk {
  readonly items: readonly unknown[];
  readonly rejected: readonly RejectedItem[];
  /** The identities of the found items. */
  readonly found: ReadonlySet<string>;
  /** The state after each page, with the identities of the page's items. */
  readonly states: readonly (Place & { readonly given: readonly string[] })[];
  readonly state: unknown;
  readonly hasMore: boolean;
}

function openList<P extends FakePsp>(
  subject: Conformance<P>,
  { task, parent, add }: Pick<ListCase<P>, "task" | "parent" | "add">,
) {
  const bench: Bench<P> = openBench(subject);
  const on = parent?.(bench.psp) ?? {};
  const fetchPage = fetchOf(bench.plugin, task);
  return {
    bench,
    add: (count: number): readonly string[] => (count === 0 ? [] : (add?.(bench.psp, count) ?? [])),
    read: (place: Place | undefined) =>
      walk((request) => fetchPage({ ...request, ...on }), place?.state, task),
  };
}

/** Reads as the polling engine does: states are stored as JSON, and a page without a next state ends the run. */
async function walk(
  fetchPage: (request: FetchRequest) => ReturnType<ReturnType<typeof fetchOf>>,
  from: unknown,
  task: ItemTask,
): Promise<Walk> {
  const items: unknown[] = [];
  const rejected: RejectedItem[] = [];
  const states: (Place & { given: string[] })[] = [];
  let state = from;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await fetchPage({ state, pageSize: PAGE_SIZE });
    items.push(...page.items);
    rejected.push(...(page.rejected ?? []));
    const next = stored(page.state);
    states.push({ state: next, given: page.items.map((item) => identityOf(task, item)) });
    const isStuck = page.hasMore && stringifyJson([next]) === stringifyJson([state]);
    state = next;
    if (page.hasMore && !isStuck) continue;
    const found = new Set(items.map((item) => identityOf(task, item)));
    return { items, rejected, found, states, state, hasMore: page.hasMore };
  }
  throw new Error("the list has no end");
}

const stored = (state: unknown): unknown =>
  state === undefined || state === null ? undefined : parseJson(stringifyJson(state));

function identityOf(task: ItemTask, item: unknown): string {
  if (task !== "FETCH_BALANCES") return (item as ProviderAccount).reference;
  const { accountReference, asset } = item as ProviderBalance;
  return `${accountReference} ${asset}`;
}

/** What is wrong with what a fetch has given, by the rules of the engine. */
export function problemOf(task: ItemTask, item: unknown): string | undefined {
  if (task !== "FETCH_BALANCES" && typeof parseJson((item as ProviderAccount).raw) !== "object") {
    return "the raw data is no JSON object";
  }
  return FETCHED_KINDS[task].problemOf(item as object);
}
