import { compareBytes } from "./canonical.ts";
import { volumesBefore } from "./postings.ts";
import type { AccountVolumes, Transaction, Volumes } from "./types.ts";

/** Writes an amount as JSON. */
export type AmountWriter = (amount: bigint) => string;

/** The volumes before and after a transaction as JSON, by account and asset. */
export interface VolumeTexts {
  readonly before: string;
  readonly after: string;
}

/** The volumes of a transaction in the order of insertion and in the order of effective dates; undefined if they are not shown. */
export interface ShownVolumes {
  readonly committed: VolumeTexts | undefined;
  readonly effective: VolumeTexts | undefined;
}

/** Writes the volumes of a transaction. */
export function shownVolumes(
  { postings, volumes, effectiveVolumes }: Transaction,
  write: AmountWriter,
): ShownVolumes {
  const committed = volumeTexts(volumes, postings, write);
  const effective =
    effectiveVolumes === volumes ? committed : volumeTexts(effectiveVolumes, postings, write);
  return { committed, effective };
}

function volumeTexts(
  after: readonly AccountVolumes[] | undefined,
  postings: Transaction["postings"],
  write: AmountWriter,
): VolumeTexts | undefined {
  if (after === undefined || after.length === 0) return undefined;
  return (
    volumeTextsOfOne(after, postings, write) ?? {
      before: sortedText(sortedByNames(volumesBefore(after, postings)), write),
      after: sortedText(sortedByNames(after), write),
    }
  );
}

/**
 * The volumes of a transaction with a single posting between two accounts, as most have: volumes that the posting does not change are
 * written once. Undefined for any other transaction.
 */
function volumeTextsOfOne(
  [source, destination, ...rest]: readonly AccountVolumes[],
  [posting, ...others]: Transaction["postings"],
  write: AmountWriter,
): VolumeTexts | undefined {
  if (posting === undefined || rest.length + others.length > 0) return undefined;
  const { amount, asset } = posting;
  if (source?.account !== posting.source || source.asset !== asset) return undefined;
  if (destination?.account !== posting.destination || destination.asset !== asset) return undefined;
  const accounts = [posting.source, posting.destination] as const;
  const [received, sent] = [write(source.input), write(destination.output)];
  const textOf = (output: bigint, input: bigint): string => {
    const ofSource = volumesText(received, write(output), write(source.input - output));
    const ofDestination = volumesText(write(input), sent, write(input - destination.output));
    return textOfTwo(accounts, [ofSource, ofDestination], asset);
  };
  return {
    before: textOf(source.output - amount, destination.input - amount),
    after: textOf(source.output, destination.input),
  };
}

/**
 * The volumes of two accounts in the same asset, which `volumesText` has written. The pieces are joined to a flat text, because most
 * texts are written twice: V8 keeps a concatenated text as a tree (a rope), and copying a rope visits all its pieces.
 */
export function textOfTwo(
  [a, b]: readonly [string, string],
  [ofA, ofB]: readonly [string, string],
  asset: string,
): string {
  return compareBytes(a, b) < 0
    ? joined([a, ofA], [b, ofB], asset)
    : joined([b, ofB], [a, ofA], asset);
}

type Named = readonly [account: string, text: string];

const joined = ([a, ofA]: Named, [b, ofB]: Named, asset: string): string =>
  ['{"', a, '":{"', asset, '":', ofA, '},"', b, '":{"', asset, '":', ofB, "}}"].join("");

const sortedByNames = (volumes: readonly AccountVolumes[]): AccountVolumes[] =>
  volumes.toSorted((a, b) => compareBytes(a.account, b.account) || compareBytes(a.asset, b.asset));

/** Volumes by account, then by asset, which must be sorted. */
function sortedText(sorted: readonly AccountVolumes[], write: AmountWriter): string {
  let text = "";
  let account: string | undefined;
  for (const { account: next, asset, input, output } of sorted) {
    if (next === account) text += ",";
    else text += account === undefined ? `{"${next}":{` : `},"${next}":{`;
    account = next;
    text += assetText(asset, { input, output }, write);
  }
  return `${text}}}`;
}

/** The volumes of one asset, as a member of an object. */
export const assetText = (asset: string, { input, output }: Volumes, write: AmountWriter): string =>
  `"${asset}":${volumesText(write(input), write(output), write(input - output))}`;

/** Volumes from written amounts, or from amounts that are written as integers. */
export const volumesText = <A extends string | bigint>(input: A, output: A, balance: A): string =>
  `{"input":${input},"output":${output},"balance":${balance}}`;
