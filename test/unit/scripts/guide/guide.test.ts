import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { withoutInline } from "#scripts/lib/build/guide/served-files.ts";
import { makeBook } from "#scripts/lib/build/guide/sources.ts";
import { inProject } from "#scripts/lib/project.ts";
import type { Book } from "#src/guide/book.ts";
import { anchorOf, routeOf, targetOf, wordsOf } from "#src/guide/links.ts";

const BOOK: Book = {
  pages: {
    "index.md": { source: "docs/quickstart.md", name: "Quickstart" },
    "webhooks.md": { source: "docs/webhooks.md", name: "Webhooks" },
    "operations/backup.md": { source: "docs/operations/backup.md", name: "Backup" },
    "expressions.md": { source: "src/expr/README.md", name: "Expressions" },
  },
  files: { "docs/operations/alerts.yaml": "operations/alerts.yaml" },
  sidebar: [],
};

test.each([
  ["webhooks.md", "../src/expr/README.md#types", "/expressions#types"],
  ["expressions.md", "../../docs/webhooks.md", "/webhooks"],
  ["operations/backup.md", "../quickstart.md", "/"],
  ["operations/backup.md", "alerts.yaml", "/operations/alerts.yaml"],
  ["webhooks.md", "#lanes", "#lanes"],
  ["webhooks.md", "https://www.standardwebhooks.com", "https://www.standardwebhooks.com"],
  ["webhooks.md", "../wrangler.toml", undefined],
])("on the site, the link from %s to %s leads to %s", (page, href, target) => {
  expect(targetOf(BOOK, page, href)).toBe(target);
});

test.each([
  ["/webhooks#lanes", "webhooks.md", "Webhooks"],
  ["/", "quickstart.md", "Quickstart"],
  ["/webhooks", "deliveries", "deliveries"],
  ["https://example.com/readme.md", "readme.md", "readme.md"],
])("a link to %s with the words %s has the words %s on the site", (target, words, shown) => {
  expect(wordsOf(BOOK, target, words)).toBe(shown);
});

test("each page has a path, and the front has that of the site", () => {
  expect(["index.md", "a.md", "a/index.md", "a/b.md"].map(routeOf)).toEqual(["", "a", "a/", "a/b"]);
});

test("a heading has the anchor that it has on GitHub", () => {
  expect(anchorOf("Limits: who pays for work?")).toBe("limits-who-pays-for-work");
});

test("every page of docs is in the guide, once", () => {
  const sources = Object.values(makeBook().pages).map(({ source }) => source);
  const docs = readdirSync(inProject("docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`);
  expect(sources.filter((source) => source.startsWith("docs/")).toSorted()).toEqual(
    docs.toSorted(),
  );
  expect(new Set(sources).size).toBe(sources.length);
});

test("inline scripts of a page become files, and inline styles go", () => {
  const { page, scripts } = withoutInline(
    `<script id="a">run("<b>")</script><script src="/x.js"></script><p class="c" style="color:red">style="kept"</p>`,
  );
  const [name = ""] = scripts.keys();
  expect(name).toMatch(/^script-[0-9a-f]{8}\.js$/);
  expect(scripts.get(name)).toBe('run("<b>")');
  expect(page).toBe(
    `<script src="/guide/assets/${name}"></script><script src="/x.js"></script><p class="c">style="kept"</p>`,
  );
});
