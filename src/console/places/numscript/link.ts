import type { Values } from "./types.ts";
import { CONSOLE_PATH } from "#console/base-path.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** Longest link to a script, in characters. Some programs that pass links on cut longer ones. */
const LINK_LENGTH_MAX = 6000;

interface Shared {
  readonly ledger: string;
  readonly script: string;
  /** Values of variables, as the API takes them. */
  readonly values: Values;
}

/** A link that shows a script and its values to somebody else; undefined if it would be too long. */
export function linkTo({ ledger, script, values }: Shared, origin: string): string | undefined {
  const search = new URLSearchParams(ledger === "" ? { script } : { ledger, script });
  if (Object.keys(values).length > 0) search.set("vars", stringifyJson(values));
  const link = `${origin}${CONSOLE_PATH}/numscript?${search.toString()}`;
  return link.length > LINK_LENGTH_MAX ? undefined : link;
}

/** The script and the values of a link. Values that cannot be read are left out. */
export const readLink = (
  script: string | undefined,
  vars: string | undefined,
): Omit<Shared, "ledger"> | undefined =>
  script === undefined ? undefined : { script, values: readValues(vars ?? "{}") };

function readValues(text: string): Values {
  try {
    const values: unknown = parseJson(text);
    if (typeof values !== "object" || values === null) return {};
    return Object.fromEntries(
      Object.entries(values).filter(
        (entry): entry is [string, string] => typeof entry[1] === "string",
      ),
    );
  } catch {
    return {};
  }
}
