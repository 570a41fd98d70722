import { columns } from "./columns.ts";
import type { GroupedNoun, Noun, Nouns, Option, Verb } from "./command.ts";
import { commandOf } from "#scripts/lib/place.ts";

const PROGRAM = commandOf("florin", "").trimEnd();

/** The options that every verb has. */
export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  json: {
    kind: "flag",
    meaning: "prints the result as JSON (`npm run -s` leaves out npm's own lines)",
  },
  url: {
    kind: "text",
    meaning: "the server, where you are logged in; by default, the one on the state folder",
  },
  help: { kind: "flag", meaning: "shows this" },
};

/** The nouns by their groups, in their order. */
export const groupsOf = (
  nouns: Nouns,
): ReadonlyMap<string, readonly (readonly [string, GroupedNoun])[]> =>
  Map.groupBy(Object.entries(nouns), ([, { group }]) => group);

export const programHelp = (nouns: Nouns): string =>
  [
    `Usage: ${PROGRAM} <noun> <verb> [words] [options]`,
    "",
    ...[...groupsOf(nouns)].flatMap(([group, members]) => [
      `${group}:`,
      ...columns(members.map(([name, noun]) => [name, digestOf(noun)])),
      "",
    ]),
    `\`${PROGRAM} <noun> help\` shows what its verbs do, and --help after a verb shows the options of the verb.`,
    `\`${PROGRAM} login --url <url>\` logs you in at a deployment; without --url, commands work on the server of the state folder.`,
    `\`${PROGRAM} completion bash\` (or zsh) prints a script that makes \`florin\` a command of the shell and completes it.`,
    "",
    "Exit codes: 0 for success; 1 for a failure, or for a check that found a problem; 2 for a wrong command line.",
  ].join("\n");

const digestOf = ({ summary, verbs }: Noun): string => {
  const names = Object.keys(verbs);
  return names.length === 0 ? summary : `${summary}: ${names.join(", ")}`;
};

export const nounHelp = (name: string, { summary, alone, verbs }: Noun): string =>
  [
    `${summary}.`,
    "",
    ...columns(
      [
        ...(alone === undefined ? [] : ([[name, alone]] as const)),
        ...Object.entries(verbs).map(([verb, spec]) => [`${name} ${verb}`, spec] as const),
      ].map(([path, spec]) => [synopsis(path, spec), spec.summary]),
    ),
  ].join("\n");

/** The help of a noun that does something without a verb. */
export const aboutAlone = (name: string, noun: Noun & { readonly alone: Verb }): string =>
  Object.keys(noun.verbs).length === 0
    ? verbHelp(name, noun.alone)
    : `${verbHelp(name, noun.alone)}\n\n${nounHelp(name, noun)}`;

export const verbHelp = (path: string, verb: Verb): string =>
  [
    `Usage: ${PROGRAM} ${synopsis(path, verb)} [options]`,
    "",
    `${verb.summary}.`,
    "",
    ...columns(
      Object.entries({ ...verb.options, ...COMMON_OPTIONS }).map(([name, option]) => [
        `--${name}${PLACEHOLDERS[option.kind]}`,
        option.meaning,
      ]),
    ),
  ].join("\n");

/** What stands for the value of an option. */
export const PLACEHOLDERS = {
  flag: "",
  text: " <text>",
  list: " <a,b>",
  pairs: " <key=value>",
} as const;

/** A verb with its words, such as `ledgers show <ledger>`. */
export const synopsis = (path: string, { parameters = [], words }: Verb): string =>
  [
    path,
    ...parameters.map((name) => `<${name}>`),
    ...(words === undefined ? [] : [`[<${words}> …]`]),
  ].join(" ");
