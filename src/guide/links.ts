import type { Book } from "./book.ts";

/** Where a link of a page leads on the site; undefined for what the site does not have. */
export type LinkTarget = string | undefined;

/**
 * Translates a link as the project's files have it, relative to the file with the link, into one of the site. A link to another host or
 * within the page stays as it is.
 *
 *     in docs/webhooks.md    ../src/expr/README.md#types  ─►  /expressions#types
 */
export function targetOf(book: Book, page: string, href: string): LinkTarget {
  if (/^[a-z]+:|^#/i.test(href)) return href;
  const source = book.pages[page]?.source;
  if (source === undefined) throw new Error(`${page} is no page of the guide`);
  const { pathname, hash } = new URL(href, `file:///${source}`);
  const path = decodeURIComponent(pathname.slice(1));
  const file = book.files[path];
  if (file !== undefined) return `/${file}`;
  const [target] = Object.entries(book.pages).find(([, { source }]) => source === path) ?? [];
  return target === undefined ? undefined : `/${routeOf(target)}${hash}`;
}

/**
 * The words of a link on the site: a link that has the name of a file, which readers of the project's files know, gets the name of the page.
 */
export function wordsOf(book: Book, target: string, words: string): string {
  if (!/^[\w./-]+\.md$/.test(words)) return words;
  const [route] = target.split("#");
  const [, page] = Object.entries(book.pages).find(([file]) => `/${routeOf(file)}` === route) ?? [];
  return page?.name ?? words;
}

/** The path of a page below the site's, from that of its file: `index.md` is the front. */
export const routeOf = (page: string): string => page.replace(/(?:^|(?<=\/))index\.md$|\.md$/, "");

/** The anchor of a heading, as GitHub makes it, so that links with anchors lead to the same heading in both places. */
export const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
