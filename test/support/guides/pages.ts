import { readdirSync, readFileSync } from "node:fs";
import { inProject } from "#scripts/lib/project.ts";
import { inBlocks } from "#test/unit/scripts/markdown.ts";

/** The guides, by the names of their pages. */
export const GUIDES: readonly string[] = readdirSync(inProject("docs/guides"))
  .filter((file) => file.endsWith(".md"))
  .map((file) => file.slice(0, -".md".length));

const textOf = (guide: string): string =>
  readFileSync(inProject(`docs/guides/${guide}.md`), "utf8");

/** The blocks of a guide in a language, as one program. */
export const programOf = (guide: string, language: string): string =>
  inBlocks(textOf(guide), language).join("\n");

/** What each program of a guide prints, as the guide shows it. */
export const outputOf = (guide: string): string => inBlocks(textOf(guide), "text").join("\n");
