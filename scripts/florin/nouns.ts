import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { GroupedNoun, Noun, Nouns } from "./command.ts";

const FOLDER = join(import.meta.dirname, "nouns");

/** The groups of nouns, by the folders of their files. */
const GROUPS: Readonly<Record<string, string>> = {
  ledger: "Ledgers",
  payments: "Payments",
  wallets: "Wallets",
  flows: "Flows",
  webhooks: "Webhooks",
  access: "Access",
  "": "The deployment",
};

/** Loads all nouns: one for each file of `nouns/` and of its folders, which are the groups. */
export async function loadNouns(): Promise<Nouns> {
  const nouns = await Promise.all(Object.entries(GROUPS).map(loadGroup));
  return Object.fromEntries(nouns.flat());
}

async function loadGroup([folder, group]: readonly [string, string]) {
  const path = join(FOLDER, folder);
  const files = readdirSync(path).filter((file) => file.endsWith(".ts"));
  return Promise.all(
    files.toSorted().map(async (file): Promise<[string, GroupedNoun]> => {
      const { noun } = (await import(join(path, file))) as { noun: Noun }; // Each file of the folder exports a noun.
      return [basename(file, ".ts"), { ...noun, group }];
    }),
  );
}

/** The noun with a name, or with an alias. */
export function findNoun(nouns: Nouns, name: string): GroupedNoun | undefined {
  if (Object.hasOwn(nouns, name)) return nouns[name];
  return Object.values(nouns).find(({ aliases = [] }) => aliases.includes(name));
}
