import { type Call, UsageError } from "#scripts/florin/command.ts";

/**
 * A path with the parameters of a call in place of `{names}`. Throws `UsageError` for an empty word and for `.` and `..`, which a URL would take
 * for steps to another path.
 */
export const pathOf = (template: string, call: Pick<Call, "parameter">): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, call.parameter(name)));

function segment(name: string, word: string): string {
  if (word === "" || word === "." || word === "..") {
    throw new UsageError(`<${name}> is ${JSON.stringify(word)}, which names nothing.`);
  }
  return encodeURIComponent(word);
}
