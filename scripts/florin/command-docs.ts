import type { Nouns, Option, Verb } from "./command.ts";
import { groupsOf, PLACEHOLDERS, synopsis } from "./help.ts";
import { withGeneratedPart } from "#scripts/lib/generated-part.ts";

/** The page with the nouns and verbs of the command line in place of those that it has. */
export function withCommands(page: string, nouns: Nouns): string {
  const text = [...groupsOf(nouns)]
    .map(([group, members]) =>
      [`### ${group}`, ...members.map(([name, noun]) => nounText(name, noun))].join("\n\n"),
    )
    .join("\n\n");
  const part = { name: "commands", command: "commands:docs", text: `\n${text}\n` };
  return withGeneratedPart(page, part);
}

function nounText(name: string, { summary, aliases = [], alone, verbs }: Nouns[string]): string {
  const also = aliases.map((alias) => `, also \`${alias}\``).join("");
  const lines = [
    ...(alone === undefined ? [] : [verbText(name, alone)]),
    ...Object.entries(verbs).map(([verb, spec]) => verbText(`${name} ${verb}`, spec)),
  ];
  return [`**${name}**${also}: ${summary}.`, lines.join("\n")].join("\n\n");
}

const verbText = (path: string, verb: Verb): string =>
  [
    `- \`${synopsis(path, verb)}\`: ${markdown(verb.summary)}.`,
    ...Object.entries(verb.options ?? {})
      .filter(([name]) => !DESCRIBED_ABOVE.has(name))
      .map(([name, option]) => optionText(name, option)),
  ].join("\n");

/** Options that mean the same for all verbs, which the page describes before the list. */
const DESCRIBED_ABOVE: ReadonlySet<string> = new Set(["limit", "all", "yes", "idempotency-key"]);

const optionText = (name: string, { kind, meaning }: Option): string =>
  `  - \`--${name}${PLACEHOLDERS[kind]}\`: ${markdown(meaning)}`;

/** A sentence of the help as Markdown: `*`, `<` and `[` stand for themselves outside of code. */
const markdown = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll(/[*<[]/g, String.raw`\$&`)))
    .join("");
