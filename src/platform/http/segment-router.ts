import { METHOD_NAME_ALL, type Result, type Router, UnsupportedPathError } from "hono/router";
import { FifoCache } from "#platform/memo.ts";

/**
 * A router for paths whose segments are fixed texts or parameters, `/v2/:ledger/accounts`, and which may end with a `*` for all paths
 * below. A request follows its segments through a trie, and the handlers of each combination of ends are merged once, so that a match costs
 * little more than splitting the path. Hono's own trie router takes no paths with a fixed text and a parameter at the same place.
 *
 * The routes of a path take part in the order of their addition, as the one handler that `merge` makes of theirs: Hono calls a single
 * handler with much less work than several. A route that has a parameter of an earlier route at another place of the path takes no part.
 * Other patterns throw `UnsupportedPathError`.
 *
 * A path with a slash at its end, `/v2/main/`, leads to the routes of the path without the slash, `/v2/main`, unless a route ends with the
 * slash itself.
 */
export class SegmentRouter<T> implements Router<T> {
  readonly name = "SegmentRouter";
  readonly #routes: Route<T>[] = [];
  readonly #methods = new Set<string>([METHOD_NAME_ALL]);
  readonly #trees = new Map<string, Tree<T>>();
  readonly #merge: Merge<T>;

  constructor(merge: Merge<T>) {
    this.#merge = merge;
  }

  add(method: string, path: string, handler: T): void {
    if (this.#trees.size > 0) throw new Error("A route cannot be added after the first match.");
    const segments = path.split("/");
    const isOpen = segments.at(-1) === "*";
    if (isOpen) segments.pop();
    for (const segment of segments) {
      if (/[:*{]/.test(segment) && !PARAMETER.test(segment)) throw new UnsupportedPathError();
    }
    const order = this.#routes.length;
    const entry: Entry<T> = [handler, parametersOf(segments)];
    this.#routes.push({ method, segments, isOpen, order, entry });
    this.#methods.add(method);
  }

  match(method: string, path: string): Result<T> {
    // Clients may send any method, so that methods without routes share a tree.
    const tree = this.#treeOf(this.#methods.has(method) ? method : METHOD_NAME_ALL);
    const end = path.lastIndexOf("/");
    if (end === path.length - 1 && isForgiven(tree, path))
      return this.match(method, path.slice(0, end));
    if (end === -1) return [reachedAt(tree.start, path).entries, [path]];
    const beginning = path.slice(0, end);
    const place = tree.places.get(beginning) ?? placeOf(tree, beginning);
    const last = path.slice(end + 1);
    return [reachedAt(place, last).entries, [...place.segments, last]];
  }

  #treeOf(method: string): Tree<T> {
    const known = this.#trees.get(method);
    if (known !== undefined) return known;
    const root: Node<T> = newNode();
    let ends = 0;
    for (const route of this.#routes) {
      if (route.method !== method && route.method !== METHOD_NAME_ALL) continue;
      const node = nodeOf(root, route.segments);
      const place = route.isOpen ? "below" : "end";
      node[place] ??= { number: ends++, routes: [] };
      node[place].routes.push(route);
    }
    const none = new Reached<T>([], this.#merge);
    const reached = root.below === undefined ? none : none.with(root.below);
    const tree: Tree<T> = {
      start: { nodes: [root], reached, segments: [] },
      places: new FifoCache(PLACES),
    };
    this.#trees.set(method, tree);
    return tree;
  }
}

/** Merges the handlers of a path, possibly none, into one. */
export type Merge<T> = (handlers: readonly T[]) => T;

/** A handler, and the segment of the path at which each of its parameters stands. */
type Entry<T> = [T, Record<string, number>];

interface Route<T> {
  readonly method: string;
  readonly segments: readonly string[];
  /** Whether the route also takes all paths below its segments. */
  readonly isOpen: boolean;
  readonly order: number;
  readonly entry: Entry<T>;
}

/** Routes of one place, and the number of the place in its tree. */
interface End<T> {
  readonly number: number;
  readonly routes: Route<T>[];
}

interface Node<T> {
  readonly fixed: Map<string, Node<T>>;
  parameter?: Node<T>;
  end?: End<T>;
  below?: End<T>;
}

interface Tree<T> {
  readonly start: Place<T>;
  /** A cache of places, by the beginnings of paths: many paths differ only in their last segment. */
  readonly places: FifoCache<Place<T>>;
}

/** Bounds of the cache of places, in places. */
const PLACES = { sizeMax: 64, keyLengthMax: 256 };

/** The place in the tree that the first segments of a path lead to. */
interface Place<T> {
  /** The nodes from which the next segment goes on. */
  readonly nodes: readonly Node<T>[];
  readonly reached: Reached<T>;
  readonly segments: readonly string[];
}

/** The routes that a path has reached, one end after the other. There is one object for each combination of ends. */
class Reached<T> {
  readonly entries: [Entry<T>];
  readonly #routes: readonly Route<T>[];
  readonly #merge: Merge<T>;
  /** The object after one more end, by the number of the end. */
  readonly #next: Reached<T>[] = [];

  constructor(routes: readonly Route<T>[], merge: Merge<T>) {
    this.#routes = routes;
    this.#merge = merge;
    this.entries = [mergedEntry(routes, merge)];
  }

  with(end: End<T>): Reached<T> {
    return (this.#next[end.number] ??= new Reached([...this.#routes, ...end.routes], this.#merge));
  }
}

const PARAMETER = /^:\w+$/;

const parametersOf = (segments: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    segments.flatMap((segment, index) =>
      PARAMETER.test(segment) ? [[segment.slice(1), index]] : [],
    ),
  );

const newNode = <T>(): Node<T> => ({ fixed: new Map() });

function nodeOf<T>(root: Node<T>, segments: readonly string[]): Node<T> {
  let node = root;
  for (const segment of segments) {
    if (PARAMETER.test(segment)) {
      node = node.parameter ??= newNode();
    } else {
      const inner = node.fixed.get(segment) ?? newNode<T>();
      node.fixed.set(segment, inner);
      node = inner;
    }
  }
  return node;
}

/** Merges routes into one entry, which has the parameters of all routes that take part. */
function mergedEntry<T>(routes: readonly Route<T>[], merge: Merge<T>): Entry<T> {
  const handlers: T[] = [];
  const places: Record<string, number> = {};
  for (const { entry } of routes.toSorted((a, b) => a.order - b.order)) {
    const [handler, parameters] = entry;
    const named = Object.entries(parameters);
    if (named.some(([name, place]) => (places[name] ?? place) !== place)) continue;
    for (const [name, place] of named) places[name] = place;
    handlers.push(handler);
  }
  return [merge(handlers), places];
}

/** Whether the slash at the end of a path is ignored: the path ends with only one slash, and no route ends with a slash there. */
function isForgiven<T>(tree: Tree<T>, path: string): boolean {
  const beginning = path.slice(0, -1);
  if (beginning === "" || beginning.endsWith("/")) return false;
  const { nodes } = tree.places.get(beginning) ?? placeOf(tree, beginning);
  return !nodes.some(({ fixed }) => fixed.get("")?.end !== undefined);
}

/** Follows the beginning of a path, which may have very many segments. Caches the place if it has nodes. */
function placeOf<T>({ start, places }: Tree<T>, beginning: string): Place<T> {
  const segments = beginning.split("/");
  let { nodes, reached } = start;
  for (const segment of segments) {
    if (nodes.length === 0) break;
    nodes = nodes.flatMap((node) => nodesAfter(node, segment));
    for (const { below } of nodes) if (below !== undefined) reached = reached.with(below);
  }
  const place: Place<T> = { nodes, reached, segments };
  if (nodes.length > 0) places.set(beginning, place);
  return place;
}

/** The routes that a path reaches with its last segment, from a place. */
function reachedAt<T>({ nodes, reached }: Place<T>, last: string): Reached<T> {
  let found = reached;
  for (const node of nodes) {
    for (const { below, end } of nodesAfter(node, last)) {
      if (below !== undefined) found = found.with(below);
      if (end !== undefined) found = found.with(end);
    }
  }
  return found;
}

/** The nodes that a segment leads to: the node of the same fixed text, and the parameter, which is never empty. */
function nodesAfter<T>({ fixed, parameter }: Node<T>, segment: string): Node<T>[] {
  const nodes: Node<T>[] = [];
  const same = fixed.get(segment);
  if (same !== undefined) nodes.push(same);
  if (parameter !== undefined && segment !== "") nodes.push(parameter);
  return nodes;
}
