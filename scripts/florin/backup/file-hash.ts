import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { DescribedFile } from "#platform/backup/saving/part-folder.ts";

export type { DescribedFile };

/** The SHA-256 of a file in hexadecimal digits. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** What is wrong with a file at `path`, as a sentence; undefined if it is as described. */
export async function problemOf(
  path: string,
  { file, bytes, sha256 }: DescribedFile,
): Promise<string | undefined> {
  if (!existsSync(path)) return `${file} is missing.`;
  const { size } = await stat(path);
  if (size !== bytes) return `${file} has ${size} bytes instead of ${bytes}.`;
  return (await hashOf(path)) === sha256
    ? undefined
    : `${file} has another SHA-256 than described.`;
}
