import { readdirSync, readFileSync } from "node:fs";
import type { Metafile } from "esbuild";
import { inProject } from "#scripts/lib/project.ts";

const PACKAGE = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** The names of the packages that a bundle contains. */
export const packagesIn = ({ inputs }: Metafile): string[] => [
  ...new Set(Object.keys(inputs).flatMap((path) => PACKAGE.exec(path)?.[1] ?? [])),
];

/** The licences of packages, as one text. A package without a file of its licence is named with what its package.json says. */
export const licensesOf = (names: readonly string[]): string => names.map(licenseOf).join("\n");

function licenseOf(name: string): string {
  const folder = inProject("node_modules", name);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
  if (file !== undefined) return `${name}\n\n${readFileSync(`${folder}/${file}`, "utf8")}`;
  const { license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as {
    license?: string;
  };
  return `${name}\n\n${license ?? "no licence is stated"}\n`;
}
