import { parseArgs } from "node:util";
import { OperatorError } from "#scripts/lib/project.ts";

export interface Options {
  readonly json: boolean;
  /** The number of transactions in the ledger that is read and in the one whose storage is measured. */
  readonly size: number;
  /** Whether a case is to be measured. */
  readonly wants: (name: string) => boolean;
}

const SIZE_STANDARD = 10_000;
const SIZE_MIN = 1000;
const SIZE_MAX = 10_000_000;

/** Reads `--json`, `--size N` and `--only a,b`, where each name picks all cases that begin with it. */
export function readOptions(args: readonly string[], names: readonly string[]): Options {
  const { values } = parse(args);
  const only = values.only?.split(",").filter((name) => name !== "");
  const unknown = only?.find((start) => !names.some((name) => name.startsWith(start)));
  if (unknown !== undefined) {
    throw new OperatorError(`--only knows no case ${unknown}. There are ${names.join(", ")}.`);
  }
  return {
    json: values.json,
    size: readSize(values.size),
    wants: (name) => only === undefined || only.some((start) => name.startsWith(start)),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        json: { type: "boolean", default: false },
        size: { type: "string" },
        only: { type: "string" },
      },
    });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`${message}\nThe bench takes --json, --size N and --only a,b.`, {
      cause,
    });
  }
}

function readSize(text: string | undefined): number {
  if (text === undefined) return SIZE_STANDARD;
  const size = Number(text);
  if (Number.isInteger(size) && size >= SIZE_MIN && size <= SIZE_MAX) return size;
  throw new OperatorError(
    `--size is ${text}. It takes an integer from ${SIZE_MIN} to ${SIZE_MAX}.`,
  );
}
