import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** What a page needs beyond what every page loads. */
export interface PageSize {
  /** The file of the page's script. */
  readonly name: string;
  /** The compressed bytes of the script and all that it imports. What it loads later, such as an editor, is none of them. */
  readonly bytes: number;
}

export interface ConsoleSizes {
  /** The compressed bytes of the scripts that every page loads: those that `index.html` names. */
  readonly firstBytes: number;
  /** The page that needs most beyond them. */
  readonly largest: PageSize;
}

/** Measures the scripts of a built console. Throws if the page names none. */
export function measureConsole(folder: string): ConsoleSizes {
  const page = readFileSync(join(folder, "index.html"), "utf8");
  const first = new Set(namesIn(page, /(?:src|href)="[^"]*\/([^"/]+\.js)"/g));
  if (first.size === 0) throw new Error(`${folder}/index.html names no script`);
  const scripts = new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith(".js"))
      .map((name) => [name, toScript(readFileSync(join(folder, name), "utf8"))] as const),
  );
  const bytesOf = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + (scripts.get(name)?.bytes ?? 0), 0);
  const needsOf = (name: string): number => {
    const needed = new Set([name]);
    for (const one of needed) for (const next of scripts.get(one)?.imports ?? []) needed.add(next);
    return bytesOf(needed.difference(first));
  };
  const sizes = [...scripts.keys()]
    .filter((name) => PAGE.test(name))
    .map((name) => ({ name, bytes: needsOf(name) }));
  const largest = sizes.reduce((most, size) => (size.bytes > most.bytes ? size : most));
  return { firstBytes: bytesOf(first), largest };
}

/** The names of the files of pages, whose sources are named likewise: `accounts-page-CeiiUSn-.js`. */
const PAGE = /-page-.{8}\.js$/;

/** A script with the files that it imports as it starts; `import("./x.js")` is none of them. */
const toScript = (text: string) => ({
  bytes: gzipSync(text).byteLength,
  imports: namesIn(text, /(?:from|import) ?"\.\/([^"]+\.js)"/g),
});

const namesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name = ""]) => name);
