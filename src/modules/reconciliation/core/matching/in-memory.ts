import {
  blockingKey,
  type Group,
  matchKey,
  type OpenLine,
  type Pass,
  windowOrder,
} from "./index.ts";

/** A group of lines that a pass has found. */
export interface PassGroup extends Group {
  readonly pass: Pass;
}

export interface MatchingResult {
  readonly matches: readonly PassGroup[];
  /** Groups that a person has to confirm, because the pass is not sure enough, or to choose from, because several combinations fit. */
  readonly proposals: readonly (PassGroup & { readonly isAmbiguous: boolean })[];
  /** Lines whose search was given up in some pass. */
  readonly givenUp: ReadonlySet<number>;
  /** Lines without a match, in the order of `lines`. */
  readonly open: readonly OpenLine[];
}

/**
 * Runs passes one after the other over lines in memory, each on what the earlier ones have left: the preview of a change of passes. A line of
 * a proposal is not looked at by later passes; a line of an ambiguous group is, because a later pass may know more of it, and the group
 * counts only if none of its lines was found by then.
 */
export function matchInMemory(
  passes: readonly Pass[],
  lines: readonly OpenLine[],
  threshold: number,
): MatchingResult {
  const steps = matchingSteps(passes, lines, threshold);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The work of `matchInMemory`, which stops after each pass, so that others have a turn. */
export function* matchingSteps(
  passes: readonly Pass[],
  lines: readonly OpenLine[],
  threshold: number,
): Generator<undefined, MatchingResult, void> {
  const matched = new Set<number>();
  const proposed = new Set<number>();
  const givenUp = new Set<number>();
  const matches: PassGroup[] = [];
  const proposals: PassGroup[] = [];
  const ambiguous: PassGroup[] = [];
  for (const pass of passes) {
    const left = lines.filter(({ id }) => !matched.has(id) && !proposed.has(id));
    for (const block of blocksOf(pass, left)) {
      const found = matchKey(pass, block);
      const isSure = pass.confidence >= threshold;
      for (const group of found.matches) {
        (isSure ? matches : proposals).push({ ...group, pass });
        for (const id of idsOf(group)) (isSure ? matched : proposed).add(id);
      }
      ambiguous.push(...found.ambiguous.map((group) => ({ ...group, pass })));
      for (const id of found.givenUp) givenUp.add(id);
    }
    yield;
  }
  const taken = new Set([...matched, ...proposed]);
  const undecided = ambiguous.filter((group) => {
    if (idsOf(group).some((id) => taken.has(id))) return false;
    for (const id of idsOf(group)) taken.add(id);
    return true;
  });
  return {
    matches,
    proposals: [
      ...proposals.map((group) => ({ ...group, isAmbiguous: false })),
      ...undecided.map((group) => ({ ...group, isAmbiguous: true })),
    ],
    givenUp,
    open: lines.filter(({ id }) => !matched.has(id)),
  };
}

const idsOf = ({ left, right }: Group): readonly number[] => [...left, ...right];

/** The lines that take part in a pass, by their keys, in the order that the pass needs. */
function blocksOf(pass: Pass, lines: readonly OpenLine[]): readonly (readonly OpenLine[])[] {
  const byKey = new Map<string, OpenLine[]>();
  for (const line of lines) {
    const key = blockingKey(pass, line);
    if (key === undefined) continue;
    const block = byKey.get(key);
    if (block === undefined) byKey.set(key, [line]);
    else block.push(line);
  }
  const order = windowOrder(pass);
  return [...byKey.values()].map((block) =>
    block.toSorted((one, other) =>
      order === "amount"
        ? compare(one.amount, other.amount) || one.id - other.id
        : one.day - other.day || one.id - other.id,
    ),
  );
}

const compare = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0);
