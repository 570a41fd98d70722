import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Noun, Nouns } from "./command.ts";

const FOLDER = join(import.meta.dirname, "nouns");

/** Loads all nouns: one for each file of `nouns/`. */
export async function loadNouns(): Promise<Nouns> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".ts"));
  const nouns = await Promise.all(files.toSorted().map(loadNoun));
  return Object.fromEntries(nouns);
}

async function loadNoun(file: string): Promise<[string, Noun]> {
  const { noun } = (await import(join(FOLDER, file))) as { noun: Noun }; // Each file of the folder exports a noun.
  return [basename(file, ".ts"), noun];
}
