import { copyFileSync, cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { chapters } from "./chapters.ts";
import { inProject } from "#scripts/lib/project.ts";
import type { Book } from "#src/guide/book.ts";
import { routeOf } from "#src/guide/links.ts";

/** Folders of files that pages may link to, besides the pages. */
const FILES = ["docs"];

/** The sources of the guide, by which its build is named. */
export const guideSources = (): readonly string[] => [
  "src/guide",
  "scripts/lib/build/guide",
  ...new Set(chapters().flatMap(({ pages }) => pages.map(({ source }) => source))),
  ...guideFiles(),
  "package.json",
  "package-lock.json",
];

/**
 * Writes the folder that VitePress builds. Each page is copied as it is, to the place that gives it its path on the site:
 *
 *     docs/webhooks.md           webhooks.md
 *     src/numscript/README.md    numscript.md
 *     docs/openapi.json          public/openapi.json, as every file of docs in JSON or YAML
 *     src/guide                  .vitepress, with book.json, which says all this
 */
export function writeSources(folder: string): void {
  const book = makeBook();
  cpSync(inProject("src/guide"), join(folder, ".vitepress"), { recursive: true });
  writeFileSync(join(folder, ".vitepress/book.json"), JSON.stringify(book));
  for (const [page, { source }] of Object.entries(book.pages)) copy(source, join(folder, page));
  for (const [source, file] of Object.entries(book.files))
    copy(source, join(folder, "public", file));
}

function copy(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(inProject(source), target);
}

/** The pages and files of the guide, and its sidebar. */
export function makeBook(): Book {
  const all = chapters();
  return {
    pages: Object.fromEntries(
      all.flatMap(({ pages }) =>
        pages.map(({ page, source, name }) => [`${page}.md`, { source, name }]),
      ),
    ),
    files: Object.fromEntries(guideFiles().map((file) => [file, file.slice("docs/".length)])),
    sidebar: all
      .filter(({ isHidden = false }) => !isHidden)
      .map(({ name, pages }) => ({
        text: name,
        items: pages.map(({ name, page }) => ({ text: name, link: `/${routeOf(`${page}.md`)}` })),
      })),
  };
}

/** The files of `docs` that are no pages, by their paths in the project. */
const guideFiles = (): string[] =>
  FILES.flatMap((folder) =>
    readdirSync(inProject(folder), { recursive: true, encoding: "utf8" })
      .map((file) => join(folder, file).replaceAll("\\", "/"))
      .filter((file) => /\.(?:json|ya?ml)$/.test(file))
      .toSorted(),
  );
