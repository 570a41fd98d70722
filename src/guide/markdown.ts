import type { MarkdownRenderer } from "vitepress";
import type { Book } from "./book.ts";
import { targetOf, wordsOf } from "./links.ts";

type Token = ReturnType<MarkdownRenderer["parse"]>[number];

/** Makes pages of the project's files pages of the site: links lead to the site's pages, and nothing has an inline style. */
export function adaptMarkdown(md: MarkdownRenderer, book: Book): void {
  md.core.ruler.push("florin", ({ tokens, env }) => {
    const { relativePath } = env as { relativePath: string }; // VitePress gives the file's path to each page.
    for (const token of tokens) {
      alignByClass(token);
      if (token.children !== null) rewriteLinks(token.children, book, relativePath);
    }
  });
}

/** Replaces the inline style of a cell that is aligned by a class. */
function alignByClass(token: Token): void {
  const at = token.attrIndex("style");
  if (at < 0) return;
  const [, side] = /text-align:(\w+)/.exec(token.attrGet("style") ?? "") ?? [];
  token.attrs?.splice(at, 1);
  if (side !== undefined) token.attrJoin("class", `align-${side}`);
}

/** Lets links lead to the site's pages. A link to what the site does not have becomes plain text. */
function rewriteLinks(tokens: readonly Token[], book: Book, page: string): void {
  let isDropped = false;
  for (const [index, token] of tokens.entries()) {
    if (token.type === "link_open") {
      const target = targetOf(book, page, token.attrGet("href") ?? "");
      isDropped = target === undefined;
      if (target !== undefined) {
        token.attrSet("href", target);
        const words = tokens[index + 1];
        if (words?.type === "text") words.content = wordsOf(book, target, words.content);
      }
    }
    if (!isDropped || !token.type.startsWith("link_")) continue;
    token.type = "text";
    token.content = "";
    token.nesting = 0;
  }
}
