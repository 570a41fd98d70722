import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Noun, Nouns } from "./command.ts";

const FOLDER = join(import.meta.dirname, "nouns");

/** All nouns: a file of `nouns/` is one. */
export async function loadNouns(): Promise<Nouns> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".ts"));
  const nouns = await Promise.all(files.toSorted().map(loadNoun));
  return Object.fromEntries(nouns);
}

async function loadNoun(file: string): Promise<[string, Noun]> {
  const { noun } = (await import(join(FOLDER, file))) as { noun: Noun }; // each file of the folder exports it
  return [basename(file, ".ts"), noun];
}
