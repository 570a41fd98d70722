import { OWNED_SETTINGS, type OwnedSettings } from "./tables.ts";
import type { Setting } from "#platform/settings.ts";
import { markdownTable, withGeneratedPart } from "#scripts/lib/generated-part.ts";

/** The settings that `npm start` and tests set themselves. */
const SET_BY_SCRIPTS: ReadonlySet<string> = new Set(["FLORIN_LOCAL", "FLORIN_DIRECT"]);

/** The page with a table for each module in place of the tables that it has. */
export function withSettings(page: string): string {
  const text = `\n${OWNED_SETTINGS.map(section).join("\n\n")}\n`;
  return withGeneratedPart(page, { name: "settings", command: "settings:docs", text });
}

function section({ owner, table }: OwnedSettings): string {
  const rows = Object.entries(table.settings)
    .filter(([name]) => !SET_BY_SCRIPTS.has(name))
    .map(([name, setting]) => [
      `\`${name}\``,
      defaultOf(setting),
      acceptedBy(setting),
      setting.meaning,
    ]);
  return `### ${owner}\n\n${markdownTable(["Variable", "Default", "Takes", "Meaning"], rows)}`;
}

function defaultOf({ standard = "", schema }: Setting<unknown>): string {
  if (standard !== "") return `\`${standard}\``;
  return schema.safeParse(undefined).success ? "none" : "required";
}

/** Texts of which every setting refuses one. Durations with a lower bound refuse the first, and name the bound. */
const MISFITS = ["0ms", "\u0000", "a misfit", ""];

/** The values that a setting accepts, in the words with which it refuses others. */
function acceptedBy({ schema }: Setting<unknown>): string {
  for (const text of MISFITS) {
    const message = schema.safeParse(text).error?.issues[0]?.message;
    if (message !== undefined) return message;
  }
  throw new Error("a setting accepts any text; add one to MISFITS that it refuses");
}
