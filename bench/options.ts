import { parseArgs } from "node:util";
import { OperatorError } from "#scripts/lib/project.ts";

export interface Options {
  readonly json: boolean;
  /** Whether CPU profiles are taken instead of rates. */
  readonly profile: boolean;
  /** The number of transactions in the ledgers whose reads and whose storage are measured. */
  readonly size: number;
  /** The folder of another checkout to compare this checkout with, if any, and the pairs of slices of each case. */
  readonly against?: string;
  readonly pairs: number;
  /** Texts that pick the reads inside a process whose names contain one of them; absent for all reads. */
  readonly reads?: readonly string[];
  /** Whether a case is to be measured. */
  readonly wants: (name: string) => boolean;
}

const SIZE_STANDARD = 10_000;
const SIZE_MIN = 1000;
const SIZE_MAX = 10_000_000;
const PAIRS_STANDARD = 7;
const PAIRS_MAX = 1000;

/**
 * Parses `--json`, `--size N`, `--only a,b` (beginnings of the names of cases), `--reads a,b` (parts of the names of reads inside a
 * process), `--profile`, and `--against CHECKOUT` with `--pairs N`. Throws `OperatorError` for other options.
 */
export function readOptions(args: readonly string[], names: readonly string[]): Options {
  const { values } = parse(args);
  const only = values.only?.split(",").filter((name) => name !== "");
  const unknown = only?.find((start) => !names.some((name) => name.startsWith(start)));
  if (unknown !== undefined) {
    throw new OperatorError(`--only knows no case ${unknown}. There are ${names.join(", ")}.`);
  }
  return {
    json: values.json,
    profile: values.profile,
    size: readNumber("size", values.size, {
      standard: SIZE_STANDARD,
      min: SIZE_MIN,
      max: SIZE_MAX,
    }),
    pairs: readNumber("pairs", values.pairs, { standard: PAIRS_STANDARD, min: 1, max: PAIRS_MAX }),
    ...(values.against === undefined ? {} : { against: values.against }),
    ...(values.reads === undefined ? {} : { reads: values.reads.split(",").filter(Boolean) }),
    wants: (name) => only === undefined || only.some((start) => name.startsWith(start)),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        json: { type: "boolean", default: false },
        profile: { type: "boolean", default: false },
        size: { type: "string" },
        only: { type: "string" },
        reads: { type: "string" },
        against: { type: "string" },
        pairs: { type: "string" },
      },
    });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`${message}\n${USAGE}`, { cause });
  }
}

const USAGE =
  "The bench takes --json, --size N, --only a,b, --reads a,b, --profile, and --against CHECKOUT with --pairs N.";

function readNumber(
  name: string,
  text: string | undefined,
  { standard, min, max }: { standard: number; min: number; max: number },
): number {
  if (text === undefined) return standard;
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new OperatorError(`--${name} is ${text}. It takes an integer from ${min} to ${max}.`);
}
