import { parseArgs } from "node:util";
import { type Call, type Nouns, UsageError, type Verb } from "./command.ts";
import { aboutAlone, nounHelp, programHelp, verbHelp } from "./help.ts";
import { findNoun } from "./nouns.ts";

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
export type Values = Pick<Call, "parameter" | "words" | "text" | "list" | "pairs" | "flag">;

/** Parses a command line. Throws `UsageError`, with the matching help, for a wrong command line. */
export function parseCommand(args: readonly string[], nouns: Nouns): Command {
  const [nounName = "help", ...rest] = args;
  if (HELP.has(nounName)) return { kind: "help", text: programHelp(nouns) };
  if (nounName === "completion") {
    const [shell = "bash"] = rest;
    return { kind: "completion", shell };
  }
  const noun = findNoun(nouns, nounName);
  if (noun === undefined) {
    throw new UsageError(`'${nounName}' is no noun.\n\n${programHelp(nouns)}`);
  }
  const [verbName, ...words] = rest;
  const { alone } = noun;
  if (alone !== undefined && (verbName === undefined || verbName.startsWith("-"))) {
    return parseVerb(rest, alone, aboutAlone(nounName, { ...noun, alone }));
  }
  if (verbName === undefined || HELP.has(verbName)) {
    return { kind: "help", text: nounHelp(nounName, noun) };
  }
  if (!Object.hasOwn(noun.verbs, verbName)) {
    const problem = `'${nounName}' has no verb '${verbName}'.`;
    throw new UsageError(`${problem}\n\n${nounHelp(nounName, noun)}`);
  }
  const verb = noun.verbs[verbName] as Verb; // The verb is there.
  return parseVerb(words, verb, verbHelp(`${nounName} ${verbName}`, verb));
}

const HELP: ReadonlySet<string> = new Set(["help", "--help", "-h"]);

/** Parses what follows a verb; `about` is the verb's help. */
function parseVerb(given: readonly string[], verb: Verb, about: string): Command {
  const { values, positionals } = split(given, verb, about);
  if (values["help"] === true) return { kind: "help", text: about };
  const names = verb.parameters ?? [];
  const missing = names[positionals.length];
  if (missing !== undefined) throw new UsageError(`<${missing}> is missing.\n\n${about}`);
  if (positionals.length > names.length && verb.words === undefined) {
    throw new UsageError(`'${positionals[names.length]}' is one word too many.\n\n${about}`);
  }
  const parameters = new Map(names.map((name, index) => [name, positionals[index] ?? ""]));
  return {
    kind: "call",
    verb,
    values: valuesOf(values, { parameters, words: positionals.slice(names.length) }),
    json: values["json"] === true,
    url: textsOf(values["url"]).at(-1),
  };
}

type Given = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

function split(words: readonly string[], { options = {} }: Verb, about: string) {
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
    throw new UsageError(`${problem}.\n\n${about}`);
  }
}

const shapeOf = (kind: "text" | "list" | "pairs" | "flag") =>
  kind === "flag" ? { type: "boolean" as const } : { type: "string" as const, multiple: true };

const textsOf = (given: Given[string]): string[] =>
  [given ?? []].flat().filter((item) => typeof item === "string");

interface Words {
  readonly parameters: ReadonlyMap<string, string>;
  readonly words: readonly string[];
}

const valuesOf = (given: Given, { parameters, words }: Words): Values => ({
  parameter: (name) => parameters.get(name) ?? "",
  words: () => words,
  text: (name) => textsOf(given[name]).at(-1),
  list: (name) =>
    textsOf(given[name]).flatMap((text) => text.split(/[\s,]+/).filter((item) => item !== "")),
  pairs: (name) => textsOf(given[name]),
  flag: (name) => given[name] === true,
});
