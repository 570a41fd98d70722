import { amountsAgree, leftRange, rightRange } from "./amounts.ts";
import { areNear, type Block, type Found, type Group, NOTHING, signatureOf } from "./block.ts";
import { calendarReach } from "./days.ts";
import type { OpenLine } from "./line.ts";
import type { Pass } from "./pass.ts";
import { type SubsetSum, subsetSum } from "./subset-sum.ts";

/** The largest number of lines of one side among which a search for a sum looks. */
export const CANDIDATES_MAX = 64;

/** The steps that a search for one sum may take. */
export const SUBSET_WORK_MAX = 100_000;

/** The steps that all searches in one block may take. */
export const BLOCK_WORK_MAX = 1_000_000;

/**
 * Finds groups of one line and several lines of the other side by their sum, or of several lines of both sides. Lines with an equal key are a
 * group where all of them together agree. Otherwise, one line and a subset are a group where this subset is the only one that agrees, and no
 * other line wants one of its lines. What is found makes lines disappear, which may decide others, so that the search is repeated until it
 * finds nothing more.
 */
export function matchGroups(pass: Pass, block: Block): Found {
  const whole = wholeBlock(pass, block);
  if (whole !== undefined) return { ...NOTHING, matches: [whole] };
  if (pass.cardinality === "n:m") return NOTHING;
  return pass.cardinality === "n:1"
    ? flipped(matchSubsets(pass, { ones: block.right, many: block.left }))
    : matchSubsets(pass, { ones: block.left, many: block.right });
}

/** All lines of a block as one group, if their texts say so and their sums agree. */
function wholeBlock(pass: Pass, { left, right }: Block): Group | undefined {
  if (pass.keys.length === 0 || left.length === 0 || right.length === 0) return undefined;
  if (left.length > sizeMax(pass, "left") || right.length > sizeMax(pass, "right"))
    return undefined;
  const lines = [...left, ...right];
  if (!lines.every((one) => areNear(pass, lines[0] ?? one, one))) return undefined;
  if (!amountsAgree(pass.amount, sumOf(left), sumOf(right))) return undefined;
  return { left: left.map(({ id }) => id), right: right.map(({ id }) => id) };
}

const sizeMax = ({ cardinality, groupMax }: Pass, side: "left" | "right"): number =>
  cardinality.startsWith("1") === (side === "left") && cardinality !== "n:m" ? 1 : groupMax;

interface Sides {
  /** The side of which a group has one line, and the side of which it has several. */
  readonly ones: readonly OpenLine[];
  readonly many: readonly OpenLine[];
}

/** Groups whose `left` is of the side with one line. */
function matchSubsets(pass: Pass, { ones, many }: Sides): Found {
  const matches: Group[] = [];
  const budget = { left: BLOCK_WORK_MAX };
  let openOnes = ones;
  let openMany = many;
  for (;;) {
    const searched = openOnes.map((one) => subsetFor(pass, one, { openMany, budget }));
    const decided = withoutRivals(searched.filter(({ kind }) => kind === "one"));
    matches.push(...decided.map(groupOf));
    if (decided.length > 0) {
      const used = new Set(decided.flatMap(({ one, subset }) => [one, ...subset]));
      openOnes = openOnes.filter((line) => !used.has(line));
      openMany = openMany.filter((line) => !used.has(line));
      continue;
    }
    return {
      matches,
      ambiguous: disjoint(searched.filter(({ kind }) => kind === "one" || kind === "several")).map(
        groupOf,
      ),
      givenUp: searched.filter(({ kind }) => kind === "exhausted").map(({ one }) => one.id),
    };
  }
}

interface Searched {
  readonly kind: SubsetSum["kind"];
  readonly one: OpenLine;
  readonly subset: readonly OpenLine[];
}

const groupOf = ({ one, subset }: Searched): Group => ({
  left: [one.id],
  right: subset.map(({ id }) => id),
});

function subsetFor(
  pass: Pass,
  one: OpenLine,
  {
    openMany,
    budget,
  }: { readonly openMany: readonly OpenLine[]; readonly budget: { left: number } },
): Searched {
  const near = nearest(pass, one, openMany);
  if (near.length === 0 || one.amount === 0n) return { kind: "none", one, subset: [] };
  if (near.length > CANDIDATES_MAX || budget.left <= 0)
    return { kind: "exhausted", one, subset: [] };
  const range = (pass.cardinality === "n:1" ? leftRange : rightRange)(pass.amount, one.amount);
  const fits = (sum: bigint): boolean =>
    pass.cardinality === "n:1"
      ? amountsAgree(pass.amount, sum, one.amount)
      : amountsAgree(pass.amount, one.amount, sum);
  const found = subsetSum(
    near.map(({ amount }) => amount),
    { ...range, sizeMax: pass.groupMax, workMax: SUBSET_WORK_MAX, fits },
  );
  budget.left -= found.work;
  if (found.kind !== "one" && found.kind !== "several")
    return { kind: found.kind, one, subset: [] };
  const subset = found.indexes.flatMap((index) => near[index] ?? []);
  const kind = found.kind === "one" && isReplaceable(subset, near) ? "several" : found.kind;
  return { kind, one, subset };
}

/** The lines, ordered by day, that are near one, or, of more than a search looks among, the first ones. */
function nearest(pass: Pass, one: OpenLine, lines: readonly OpenLine[]): readonly OpenLine[] {
  const reach =
    pass.dates === undefined ? Infinity : calendarReach(pass.dates.max, pass.dates.count);
  const near: OpenLine[] = [];
  for (let place = firstFrom(lines, one.day - reach); place < lines.length; place += 1) {
    const line = lines[place];
    if (line === undefined || line.day > one.day + reach) break;
    if (areNear(pass, one, line)) near.push(line);
    if (near.length > CANDIDATES_MAX) break;
  }
  return near;
}

/** The place of the first line that is not before a day, by binary search. */
function firstFrom(lines: readonly OpenLine[], day: number): number {
  let [from, to] = [0, lines.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((lines[middle]?.day ?? day) < day) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Whether a line of the subset could be replaced by another one with the same amount that is told apart from it by its texts or day. */
function isReplaceable(subset: readonly OpenLine[], near: readonly OpenLine[]): boolean {
  const chosen = new Set(subset);
  return near.some(
    (line) =>
      !chosen.has(line) &&
      subset.some((used) => used.amount === line.amount && signatureOf(used) !== signatureOf(line)),
  );
}

/** The subsets of which no line is in another one. */
function withoutRivals(searched: readonly Searched[]): readonly Searched[] {
  const uses = new Map<OpenLine, number>();
  for (const line of searched.flatMap(({ subset }) => subset))
    uses.set(line, (uses.get(line) ?? 0) + 1);
  return searched.filter(({ subset }) => subset.every((line) => uses.get(line) === 1));
}

/** The subsets in their order, without those that have a line of an earlier one. */
function disjoint(searched: readonly Searched[]): readonly Searched[] {
  const used = new Set<OpenLine>();
  return searched.filter(({ subset }) => {
    if (subset.some((line) => used.has(line))) return false;
    for (const line of subset) used.add(line);
    return true;
  });
}

const sumOf = (lines: readonly OpenLine[]): bigint =>
  lines.reduce((sum, { amount }) => sum + amount, 0n);

const flipped = ({ matches, ambiguous, givenUp }: Found): Found => ({
  matches: matches.map(flip),
  ambiguous: ambiguous.map(flip),
  givenUp,
});

const flip = ({ left, right }: Group): Group => ({ left: right, right: left });
