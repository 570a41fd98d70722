import type { GroupedNoun, Nouns } from "./command.ts";
import { loadNounFiles } from "./noun-files.ts";

/** The groups of nouns, by the folders of their files. */
const GROUPS: Readonly<Record<string, string>> = {
  ledger: "Ledgers",
  payments: "Payments",
  wallets: "Wallets",
  flows: "Flows",
  webhooks: "Webhooks",
  reconciliation: "Reconciliation",
  access: "Access",
  "": "The deployment",
};

/** Loads all nouns, in the order of the groups. */
export async function loadNouns(): Promise<Nouns> {
  const files = await loadNounFiles();
  const nouns = Object.entries(GROUPS).flatMap(([folder, group]) =>
    files
      .filter((file) => file.group === folder)
      .map(({ name, noun }): [string, GroupedNoun] => [name, { ...noun, group }]),
  );
  return Object.fromEntries(nouns);
}

/** The noun with a name, or with an alias. */
export function findNoun(nouns: Nouns, name: string): GroupedNoun | undefined {
  if (Object.hasOwn(nouns, name)) return nouns[name];
  return Object.values(nouns).find(({ aliases = [] }) => aliases.includes(name));
}
