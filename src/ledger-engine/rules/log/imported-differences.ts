import { memberOf } from "./entry-json.ts";
import type { ImportedTransaction } from "./imported-log.ts";
import { volumesBefore } from "#ledger-engine/rules/postings.ts";
import type { AccountVolumes, Metadata, Posting, Transaction } from "#ledger-engine/rules/types.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

/**
 * The first difference between an imported transaction and the one that the ledger has made of it; undefined if they are
 * equal. Dates and volumes are compared if they are given, effective volumes only if the ledger keeps them, too.
 */
export function differenceOf(
  { derived }: Pick<ImportedTransaction, "derived">,
  made: Transaction,
): string | undefined {
  const { volumes, effectiveVolumes, postings } = made;
  const before = (after: Transaction["volumes"]) => after && volumesBefore(after, postings);
  return (
    dateDifference("insertedAt", derived.insertedAt, made.insertedAt) ??
    dateDifference("updatedAt", derived.updatedAt, made.updatedAt) ??
    dateDifference("revertedAt", derived.revertedAt, made.revertedAt) ??
    revertedDifference(derived.reverted, made.revertedAt !== undefined) ??
    volumesDifference("postCommitVolumes", derived.postCommitVolumes, () => volumes) ??
    volumesDifference("preCommitVolumes", derived.preCommitVolumes, () => before(volumes)) ??
    volumesDifference(
      "postCommitEffectiveVolumes",
      derived.postCommitEffectiveVolumes,
      () => effectiveVolumes,
    ) ??
    volumesDifference("preCommitEffectiveVolumes", derived.preCommitEffectiveVolumes, () =>
      before(effectiveVolumes),
    )
  );
}

/** The first difference between an imported transaction and one that the ledger has; undefined if they are equal. */
export function contentDifferenceOf(
  given: ImportedTransaction,
  stored: Transaction,
): string | undefined {
  if (given.timestamp !== stored.timestamp) return "its 'timestamp' differs";
  if (given.reference !== stored.reference) return "its 'reference' differs";
  if (given.postings.map(postingText).join() !== stored.postings.map(postingText).join()) {
    return "its 'postings' differ";
  }
  if (!isSameMetadata(given.metadata, stored.metadata)) return "its 'metadata' differs";
  return differenceOf(given, stored);
}

/** Whether postings undo the original ones, in any order. */
export function isReverse(postings: readonly Posting[], original: readonly Posting[]): boolean {
  const undoing = original.map(({ source, destination, ...rest }) =>
    postingText({ ...rest, source: destination, destination: source }),
  );
  return postings.map(postingText).toSorted().join() === undoing.toSorted().join();
}

/** A posting as a text for comparisons. No address and no asset contains a space. */
const postingText = ({ source, destination, amount, asset }: Posting): string =>
  `${source} ${destination} ${asset} ${amount}`;

function isSameMetadata(a: Metadata, b: Metadata): boolean {
  const entries = Object.entries(a);
  return (
    entries.length === Object.keys(b).length &&
    entries.every(([key, value]) => Object.hasOwn(b, key) && b[key] === value)
  );
}

function dateDifference(
  name: string,
  given: Timestamp | undefined,
  expected: Timestamp | undefined,
): string | undefined {
  if (given === undefined || given === expected) return undefined;
  const wanted = expected === undefined ? "none" : formatTimestamp(expected);
  return `'${name}' is ${formatTimestamp(given)}, expected ${wanted}`;
}

const revertedDifference = (given: boolean | undefined, expected: boolean): string | undefined =>
  given === undefined || given === expected ? undefined : `'reverted' is ${given}`;

function volumesDifference(
  name: string,
  given: unknown,
  expectedOf: () => readonly AccountVolumes[] | undefined,
): string | undefined {
  if (given === undefined || given === null) return undefined;
  const expected = expectedOf();
  if (expected === undefined) return undefined;
  for (const { account, asset, input, output } of expected) {
    const volumes = memberOf(memberOf(given, account), asset);
    if (volumes === undefined) return `'${name}' lacks the ${asset} of account '${account}'`;
    const balance = memberOf(volumes, "balance");
    const isSame =
      isInteger(memberOf(volumes, "input"), input) &&
      isInteger(memberOf(volumes, "output"), output) &&
      (balance === undefined || isInteger(balance, input - output));
    if (!isSame) {
      return `'${name}' of account '${account}' in ${asset} must have input ${input} and output ${output}`;
    }
  }
  const named = countOf(given);
  return named === expected.length
    ? undefined
    : `'${name}' names accounts that the transaction does not move`;
}

/** The number of pairs of account and asset in a map. */
const countOf = (map: unknown): number =>
  valuesOf(map).reduce((sum: number, assets) => sum + valuesOf(assets).length, 0);

const valuesOf = (map: unknown): unknown[] =>
  typeof map === "object" && map !== null ? Object.values(map) : [];

const isInteger = (value: unknown, expected: bigint): boolean =>
  (typeof value === "number" || typeof value === "bigint") && BigInt(value) === expected;
