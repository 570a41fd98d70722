import type { LineStream, Outcome, Result, RowStream } from "./command.ts";
import { tableLines } from "./table.ts";
import { stringifyJson } from "#platform/json.ts";

/** Where results go. */
export interface Output {
  /** Writes a line, and waits where the reader is slower. */
  readonly write: (line: string) => void | Promise<void>;
  /** The width of the terminal, in characters; undefined for another output. */
  readonly width?: number | undefined;
}

/** What remains to be said after a result is printed, outside of the result. */
export interface AfterWords {
  /** The reason of a failure that the result reports. */
  readonly failure?: string | undefined;
  readonly remark?: string | undefined;
}

/** Prints a result, for people or as JSON. */
export async function printResult(
  result: Result,
  { json, output }: { readonly json: boolean; readonly output: Output },
): Promise<AfterWords> {
  for await (const line of linesOf(result, json, output)) await output.write(line);
  if ("data" in result) return { failure: result.failure };
  return result.kind === "rows" ? { remark: result.remark?.() } : {};
}

function linesOf(
  result: Outcome | RowStream | LineStream,
  json: boolean,
  { width }: Output,
): AsyncIterable<string> | Iterable<string> {
  if ("data" in result) return json ? [stringifyJson(result.data)] : result.lines;
  if (result.kind === "lines") return result.lines;
  return json ? jsonLines(result) : rowLines(result, width);
}

async function* jsonLines({ rows }: RowStream): AsyncGenerator<string> {
  let last: string | undefined;
  for await (const { item } of rows) {
    yield last === undefined ? "[" : `${last},`;
    last = stringifyJson(item);
  }
  yield* last === undefined ? ["[]"] : [last, "]"];
}

async function* rowLines(
  { titles, rows, empty }: RowStream,
  width: number | undefined,
): AsyncGenerator<string> {
  let count = 0;
  async function* cells() {
    for await (const row of rows) {
      count += 1;
      yield row.cells;
    }
  }
  for await (const line of tableLines(titles, cells(), width)) yield count === 0 ? empty : line;
}
