import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { DescribedFile } from "#platform/backup/saving/part-folder.ts";
import { stringifyJson } from "#platform/json.ts";

/** A value as the text of a file, with its description. */
export function describeText(
  file: string,
  value: unknown,
): DescribedFile & { readonly text: string } {
  const text = `${stringifyJson(value)}\n`;
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { file, bytes: Buffer.byteLength(text), sha256, text };
}
