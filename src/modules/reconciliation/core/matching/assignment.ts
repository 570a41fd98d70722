import { amountsAgree, rightRange } from "./amounts.ts";
import { areNear, type Block, type Found, NOTHING, signatureOf } from "./block.ts";
import type { OpenLine } from "./line.ts";
import type { Pass } from "./pass.ts";

/** The largest number of pairs of interchangeable lines that may fit in one block. */
export const EDGES_MAX = 20_000;

/** Interchangeable lines of one side. */
interface LineClass {
  readonly line: OpenLine;
  /** The ids that are not used yet, ascending. */
  readonly ids: number[];
}

/** Two classes whose lines may belong together; the lower the cost, the better. */
interface Edge {
  readonly left: LineClass;
  readonly right: LineClass;
  /** The distance in calendar days, by which a Saturday is farther from a Friday than the Friday itself. */
  readonly days: number;
  readonly difference: bigint;
}

/**
 * Pairs lines of both sides one to one. Pairs are taken in the order of their costs, greedily, which gives every line the best partner that
 * does not prefer another one (locally dominant edges: R. Preis, "Linear Time 1/2-Approximation Algorithm for Maximum Weighted Matching",
 * 1999). Where several pairs cost the same and exclude each other, none of them is taken, and their lines are ambiguous.
 *
 *     left ──cost 0── right      taken
 *     left ──cost 1── right
 *          ╲─cost 1── right      ambiguous
 */
export function assignPairs(pass: Pass, block: Block): Found {
  const edges = edgesOf(pass, block);
  if (edges === undefined) {
    const ids = [...block.left, ...block.right].map(({ id }) => id);
    return { ...NOTHING, givenUp: ids };
  }
  const matches: Found["matches"][number][] = [];
  const ambiguous: Found["ambiguous"][number][] = [];
  for (const tied of tiedEdges(pass, edges)) {
    for (const { left, right } of connected(tied.filter(isFree))) {
      const isDecided =
        (left.length === 1 && right.length === 1) ||
        ((left.length === 1 || right.length === 1) && count(left) === count(right));
      const [leftIds, rightIds] = [left.flatMap(({ ids }) => ids), right.flatMap(({ ids }) => ids)];
      if (isDecided) {
        const size = Math.min(leftIds.length, rightIds.length);
        for (let place = 0; place < size; place += 1)
          matches.push({
            left: leftIds.slice(place, place + 1),
            right: rightIds.slice(place, place + 1),
          });
        for (const used of [...left, ...right]) used.ids.splice(0, size);
      } else {
        ambiguous.push({ left: leftIds, right: rightIds });
        for (const used of [...left, ...right]) used.ids.length = 0;
      }
    }
  }
  return { matches, ambiguous, givenUp: [] };
}

const isFree = ({ left, right }: Edge): boolean => left.ids.length > 0 && right.ids.length > 0;

const count = (classes: readonly LineClass[]): number =>
  classes.reduce((sum, { ids }) => sum + ids.length, 0);

/** All pairs of classes that fit; undefined if there are more than the limit. */
function edgesOf(pass: Pass, { left, right }: Block): Edge[] | undefined {
  const rights = classesOf(right).toSorted((one, other) =>
    compare(one.line.amount, other.line.amount),
  );
  const edges: Edge[] = [];
  for (const leftClass of classesOf(left)) {
    const { amount, day } = leftClass.line;
    const range = rightRange(pass.amount, amount);
    for (let place = firstAtLeast(rights, range.least); place < rights.length; place += 1) {
      const rightClass = rights[place];
      if (rightClass === undefined || rightClass.line.amount > range.greatest) break;
      const other = rightClass.line;
      if (!amountsAgree(pass.amount, amount, other.amount)) continue;
      if (!areNear(pass, leftClass.line, other)) continue;
      edges.push({
        left: leftClass,
        right: rightClass,
        days: Math.abs(day - other.day),
        difference: distance(amount, other.amount),
      });
      if (edges.length > EDGES_MAX) return undefined;
    }
  }
  return edges;
}

function classesOf(lines: readonly OpenLine[]): LineClass[] {
  const classes = new Map<string, LineClass>();
  for (const line of lines) {
    const signature = signatureOf(line);
    const known = classes.get(signature);
    if (known === undefined) classes.set(signature, { line, ids: [line.id] });
    else known.ids.push(line.id);
  }
  return [...classes.values()];
}

/** The place of the first class whose amount is at least `least`, by binary search. */
function firstAtLeast(classes: readonly LineClass[], least: bigint): number {
  let [from, to] = [0, classes.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((classes[middle]?.line.amount ?? least) < least) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The edges in runs of equal cost, the cheapest run first. */
function* tiedEdges(pass: Pass, edges: readonly Edge[]): Generator<readonly Edge[]> {
  const compareCosts = (one: Edge, other: Edge): number => {
    for (const tieBreak of pass.tieBreaks) {
      const order =
        tieBreak === "date" ? one.days - other.days : compare(one.difference, other.difference);
      if (order !== 0) return order;
    }
    return 0;
  };
  let run: Edge[] = [];
  for (const edge of edges.toSorted(compareCosts)) {
    const [first] = run;
    if (first !== undefined && compareCosts(first, edge) !== 0) {
      yield run;
      run = [];
    }
    run.push(edge);
  }
  if (run.length > 0) yield run;
}

/** The classes that edges connect, directly or by others (connected components, by union–find). */
function connected(
  edges: readonly Edge[],
): readonly { readonly left: readonly LineClass[]; readonly right: readonly LineClass[] }[] {
  const parents = new Map<LineClass, LineClass>();
  const rootOf = (member: LineClass): LineClass => {
    let root = member;
    for (let up = parents.get(root); up !== undefined; up = parents.get(root)) root = up;
    return root;
  };
  for (const { left, right } of edges) {
    const [one, other] = [rootOf(left), rootOf(right)];
    if (one !== other) parents.set(other, one);
  }
  const components = new Map<LineClass, { left: Set<LineClass>; right: Set<LineClass> }>();
  for (const { left, right } of edges) {
    const root = rootOf(left);
    const component = components.get(root) ?? { left: new Set(), right: new Set() };
    component.left.add(left);
    component.right.add(right);
    components.set(root, component);
  }
  return [...components.values()].map(({ left, right }) => ({
    left: [...left],
    right: [...right],
  }));
}

const distance = (one: bigint, other: bigint): bigint => (one < other ? other - one : one - other);

const compare = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0);
