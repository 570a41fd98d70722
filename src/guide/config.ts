import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DefaultTheme, UserConfig } from "vitepress";
import type { Book } from "./book.ts";
import { CODE } from "./code-theme.ts";
import { leanPages } from "./lean-pages.ts";
import { anchorOf } from "./links.ts";
import { adaptMarkdown } from "./markdown.ts";

const text = readFileSync(join(import.meta.dirname, "book.json"), "utf8");
// oxlint-disable-next-line no-restricted-properties -- VitePress reads this file, outside of the project's imports; the build wrote the JSON
const book = JSON.parse(text) as Book;

/** The configuration of VitePress. The build copies the folder of this file to the folder `.vitepress` of the sources. */
const config: UserConfig<DefaultTheme.Config> = {
  title: "Florin",
  titleTemplate: ":title · Florin",
  description: "A financial platform in one Cloudflare Worker.",
  lang: "en",
  base: "/guide/",
  cleanUrls: true,
  // The icon of all pages (`platform/modules/site.ts`).
  head: [["link", { rel: "icon", href: "/icon.svg" }]],
  // What all pages know is in a file of its own, and not in an inline script.
  metaChunk: true,
  // A switch without transitions would need an inline style.
  appearance: { disableTransition: false },
  contentProps: { class: "content" },
  markdown: {
    ...CODE,
    languageAlias: { numscript: "txt" },
    anchor: { slugify: anchorOf },
    config: (md) => adaptMarkdown(md, book),
  },
  vite: { plugins: [leanPages()] },
  themeConfig: {
    nav: [
      { text: "Quickstart", link: "/" },
      { component: "ServerLink", props: { text: "API", href: "/docs" } },
      { component: "ServerLink", props: { text: "Console", href: "/console" } },
    ],
    sidebar: book.sidebar.map(({ items, ...group }) => ({ ...group, items: [...items] })),
    outline: { level: [2, 3] },
    search: { provider: "local" },
    docFooter: { prev: "Before", next: "Next" },
  },
};

export default config;
