import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";

const NEWLINE = 10;

/**
 * The lines of a compressed file of a backup. A line ends with a newline alone: JSON has U+2028 and U+2029, which `node:readline` takes for
 * ends of lines, in its texts. Throws where the file cannot be read, or is cut off.
 */
export async function* linesOf(path: string): AsyncGenerator<string, undefined> {
  const gunzip = createGunzip();
  // An error of the file or of its compression destroys `gunzip`, whose reader then throws it.
  pipeline(createReadStream(path), gunzip).catch(() => undefined);
  let rest: Buffer[] = [];
  for await (const chunk of gunzip as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const line = chunk.subarray(from, end);
      yield (rest.length === 0 ? line : Buffer.concat([...rest, line])).toString("utf8");
      rest = [];
      from = end + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
  if (rest.length > 0) yield Buffer.concat(rest).toString("utf8");
}
