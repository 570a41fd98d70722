import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Noun } from "./command.ts";

/** The folder of the nouns. A file in it, or in a folder of it, which is a group, has one noun. */
export const FOLDER = join(import.meta.dirname, "nouns");

/** A noun, its name, and the folder of its group; empty for a noun without a folder. */
export interface NounFile {
  readonly group: string;
  readonly name: string;
  readonly noun: Noun;
}

/** The files of the nouns, relative to their folder, in order. */
export const nounFiles = (): string[] =>
  readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .toSorted();

/** The group and the name of the noun in a file. */
export function placeOf(file: string): Omit<NounFile, "noun"> {
  const [group = "", inGroup] = file.split(/[/\\]/);
  return { group: inGroup === undefined ? "" : group, name: basename(file, ".ts") };
}

/** Loads the nouns of all files. */
export const loadNounFiles = (): Promise<NounFile[]> =>
  Promise.all(
    nounFiles().map(async (file) => {
      const { noun } = (await import(join(FOLDER, file))) as { noun: Noun }; // Each file of the folder exports a noun.
      return { ...placeOf(file), noun };
    }),
  );
