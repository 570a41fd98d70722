import { columns } from "./columns.ts";
import type { Noun, Nouns, Option, Verb } from "./command.ts";
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
    meaning:
      "the server, with FLORIN_CLIENT_ID and FLORIN_CLIENT_SECRET; by default, the server that runs on the state folder",
  },
  help: { kind: "flag", meaning: "shows this" },
};

export const programHelp = (nouns: Nouns): string =>
  [
    `Usage: ${PROGRAM} <noun> <verb> [words] [options]`,
    "",
    ...columns(
      Object.entries(nouns).map(([name, { summary, verbs }]) => [
        name,
        `${summary}: ${Object.keys(verbs).join(", ")}`,
      ]),
    ),
    "",
    `\`${PROGRAM} <noun>\` shows what its verbs do, and --help after a verb shows the options of the verb.`,
    `\`${PROGRAM} completion bash\` (or zsh) prints a script that makes \`florin\` a command of the shell and completes it.`,
    "",
    "Exit codes: 0 for success; 1 for a failure, or for a check that found a problem; 2 for a wrong command line.",
  ].join("\n");

export const nounHelp = (name: string, { summary, verbs }: Noun): string =>
  [
    `${summary}.`,
    "",
    ...columns(
      Object.entries(verbs).map(([verb, spec]) => [
        synopsis(`${name} ${verb}`, spec),
        spec.summary,
      ]),
    ),
  ].join("\n");

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

const PLACEHOLDERS = { flag: "", text: " <text>", list: " <a,b>" } as const;

const synopsis = (path: string, { parameters = [] }: Verb): string =>
  [path, ...parameters.map((name) => `<${name}>`)].join(" ");
