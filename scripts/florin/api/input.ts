import { readFileSync } from "node:fs";
import { parseJson } from "#platform/json.ts";
import { type Call, type Option, UsageError } from "#scripts/florin/command.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** An option or parameter that names a file; `-` is the standard input. */
export const fileOption = (meaning: string): Option => ({
  kind: "text",
  meaning: `${meaning}; - for standard input`,
});

/** The text of a file, or of the standard input for `-`. Throws `OperatorError` for one that cannot be read. */
export function readInput(path: string): string {
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (cause) {
    const { code = String(cause) } = cause as { code?: string }; // Node's errors of files have codes.
    throw new OperatorError(`The file ${path} cannot be read: ${code}.`, { cause });
  }
}

/** The JSON of a file, with exact numbers. Throws `OperatorError` for a file without JSON. */
export function readJsonInput(path: string): unknown {
  const text = readInput(path);
  try {
    return parseJson(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`The file ${path} is no JSON: ${reason}.`, { cause });
  }
}

/** The members of texts such as `key=value`. Throws `UsageError` for a text without `=`. */
export const pairsOf = (option: string, texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf("=");
      if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
      throw new UsageError(`${option} is ${JSON.stringify(text)}. It takes key=value.`);
    }),
  );

/** The members of a call's words, such as `key=value`. Throws `UsageError` where there is none. */
export function membersOf(call: Pick<Call, "words">): Record<string, string> {
  const words = call.words();
  if (words.length === 0) throw new UsageError("<key=value> is missing.");
  return pairsOf("<key=value>", words);
}

/** The members of `--metadata`, unless it was not given. */
export const metadataOf = (texts: readonly string[]): { metadata?: Record<string, string> } =>
  texts.length === 0 ? {} : { metadata: pairsOf("--metadata", texts) };

export const METADATA: Readonly<Record<"metadata", Option>> = {
  metadata: { kind: "pairs", meaning: "a member of the metadata" },
};

/** An amount in the asset's smallest unit. Throws `UsageError` for a text that is no whole number: `1.00` could mean two amounts. */
export function amountOf(text: string): bigint {
  if (/^\d+$/.test(text)) return BigInt(text);
  throw new UsageError(
    `${JSON.stringify(text)} is no amount. An amount is a whole number in the asset's smallest unit: 100 USD/2 is one dollar.`,
  );
}

/** The posting of a text such as `world -> users:1 100 USD/2`. Throws `UsageError` for another form. */
export function postingOf(text: string) {
  const [, source, destination, amount = "", asset] =
    /^\s*(\S+)\s*->\s*(\S+)\s+(\S+)\s+(\S+)\s*$/.exec(text) ?? [];
  if (source === undefined) {
    throw new UsageError(
      `${JSON.stringify(text)} is no posting. A posting is one word such as "world -> users:1 100 USD/2".`,
    );
  }
  return { source, destination, amount: amountOf(amount), asset };
}
