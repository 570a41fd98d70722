import { METHOD_NAME_ALL, type Result, type Router, UnsupportedPathError } from "hono/router";

/**
 * A router for paths whose segments are fixed texts or parameters, `/v2/:ledger/accounts`, and which may end with a `*` for
 * everything below. A request follows its segments through a tree, and what runs at its ends is put together once, so
 * that a match takes little more than splitting the path. Hono's own router of that kind takes no paths that have a fixed
 * text and a parameter at the same place.
 *
 * All routes of a path take part, in the order in which they were added. Other patterns throw `UnsupportedPathError`.
 */
export class SegmentRouter<T> implements Router<T> {
  readonly name = "SegmentRouter";
  readonly #routes: Route<T>[] = [];
  readonly #methods = new Set<string>([METHOD_NAME_ALL]);
  readonly #trees = new Map<string, Tree<T>>();

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
    // Clients make up methods: those without routes share a tree.
    const tree = this.#treeOf(this.#methods.has(method) ? method : METHOD_NAME_ALL);
    const segments = path.split("/");
    const walk = new Walk(segments, tree.none);
    walk.visit(tree.root, 0);
    return [walk.reached.entries, segments];
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
    const tree: Tree<T> = { root, none: new Reached([]) };
    this.#trees.set(method, tree);
    return tree;
  }
}

/** A handler, and at which segment of the path each of its parameters stands. */
type Entry<T> = [T, Record<string, number>];

interface Route<T> {
  readonly method: string;
  readonly segments: readonly string[];
  /** Whether it takes everything below these segments as well. */
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
  readonly root: Node<T>;
  /** Where each match begins. */
  readonly none: Reached<T>;
}

/** The ends that a path has come to, one after the other: there are as many of these as kinds of paths. */
class Reached<T> {
  readonly entries: Entry<T>[];
  readonly #routes: readonly Route<T>[];
  /** What follows at an end, by the number of the end. */
  readonly #next: Reached<T>[] = [];

  constructor(routes: readonly Route<T>[]) {
    this.#routes = routes;
    this.entries = entriesOf(routes);
  }

  with(end: End<T>): Reached<T> {
    return (this.#next[end.number] ??= new Reached([...this.#routes, ...end.routes]));
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

const entriesOf = <T>(routes: readonly Route<T>[]): Entry<T>[] =>
  routes.toSorted((a, b) => a.order - b.order).map(({ entry }) => entry);

/** Finds the ends of all routes that fit the segments of a path. A parameter is never empty. */
class Walk<T> {
  readonly #segments: readonly string[];
  reached: Reached<T>;

  constructor(segments: readonly string[], reached: Reached<T>) {
    this.#segments = segments;
    this.reached = reached;
  }

  visit(node: Node<T>, at: number): void {
    if (node.below !== undefined) this.reached = this.reached.with(node.below);
    const segment = this.#segments[at];
    if (segment === undefined) {
      if (node.end !== undefined) this.reached = this.reached.with(node.end);
      return;
    }
    const inner = node.fixed.get(segment);
    if (inner !== undefined) this.visit(inner, at + 1);
    if (node.parameter !== undefined && segment !== "") this.visit(node.parameter, at + 1);
  }
}
