import { parseArgs } from "node:util";
import { type Call, type Noun, type Nouns, UsageError, type Verb } from "./command.ts";
import { nounHelp, programHelp, verbHelp } from "./help.ts";

export type Command =
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "completion"; readonly shell: string }
  | {
      readonly kind: "call";
      readonly verb: Verb;
      readonly values: Values;
      readonly json: boolean;
      /** The URL of the server; undefined for the server of this folder. */
      readonly url: string | undefined;
    };

/** The values of a command line for the parameters and options of its verb. */
export type Values = Pick<Call, "parameter" | "text" | "list" | "flag">;

/** Parses a command line. Throws `UsageError`, with the matching help, for a wrong command line. */
export function parseCommand(args: readonly string[], nouns: Nouns): Command {
  const [nounName = "help", ...rest] = args;
  if (HELP.has(nounName)) return { kind: "help", text: programHelp(nouns) };
  if (nounName === "completion") {
    const [shell = "bash"] = rest;
    return { kind: "completion", shell };
  }
  const noun = find(nouns, nounName, `'${nounName}' is no noun.\n\n${programHelp(nouns)}`);
  const [verbName = "help", ...words] = rest;
  if (HELP.has(verbName)) return { kind: "help", text: nounHelp(nounName, noun) };
  return parseVerb(words, { nounName, noun, verbName });
}

const HELP: ReadonlySet<string> = new Set(["help", "--help", "-h"]);

interface Place {
  readonly nounName: string;
  readonly noun: Noun;
  readonly verbName: string;
}

function parseVerb(words: readonly string[], { nounName, noun, verbName }: Place): Command {
  const unknown = `'${nounName}' has no verb '${verbName}'.\n\n${nounHelp(nounName, noun)}`;
  const verb = find(noun.verbs, verbName, unknown);
  const help = verbHelp(`${nounName} ${verbName}`, verb);
  const { values, positionals } = split(words, verb, help);
  if (values["help"] === true) return { kind: "help", text: help };
  const names = verb.parameters ?? [];
  const missing = names[positionals.length];
  if (missing !== undefined) throw new UsageError(`<${missing}> is missing.\n\n${help}`);
  if (positionals.length > names.length) {
    throw new UsageError(`'${positionals[names.length]}' is one word too many.\n\n${help}`);
  }
  return {
    kind: "call",
    verb,
    values: valuesOf(values, new Map(names.map((name, index) => [name, positionals[index] ?? ""]))),
    json: values["json"] === true,
    url: textsOf(values["url"]).at(-1),
  };
}

function find<T>(entries: Readonly<Record<string, T>>, name: string, problem: string): T {
  const found = Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (found === undefined) throw new UsageError(problem);
  return found;
}

type Given = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

function split(words: readonly string[], { options = {} }: Verb, help: string) {
  const own = Object.entries(options).map(([name, { kind }]) => [name, shapeOf(kind)] as const);
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        ...Object.fromEntries(own),
        url: shapeOf("text"),
        json: shapeOf("flag"),
        help: { type: "boolean", short: "h" },
      },
    });
    return { values: values as Given, positionals };
  } catch (error) {
    // The rest of Node's message explains how to pass the word as a parameter.
    const [problem] = error instanceof Error ? error.message.split(". ") : [String(error)];
    throw new UsageError(`${problem}.\n\n${help}`);
  }
}

const shapeOf = (kind: "text" | "list" | "flag") =>
  kind === "flag" ? { type: "boolean" as const } : { type: "string" as const, multiple: true };

const textsOf = (given: Given[string]): string[] =>
  [given ?? []].flat().filter((item) => typeof item === "string");

const valuesOf = (given: Given, parameters: ReadonlyMap<string, string>): Values => ({
  parameter: (name) => parameters.get(name) ?? "",
  text: (name) => textsOf(given[name]).at(-1),
  list: (name) =>
    textsOf(given[name]).flatMap((text) => text.split(/[\s,]+/).filter((item) => item !== "")),
  flag: (name) => given[name] === true,
});
