import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { assetsOf } from "#platform/modules/site.ts";
import { GUIDE_SITE } from "#src/guide/site.ts";

const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g;
const INLINE_STYLE = /(<[a-z][^<>]*?) style="[^"]*"/g;
const NAME_LENGTH = 8;

/**
 * The files of the built site, by their paths below the assets of the site. Pages go into a folder of their own, from which the Worker
 * serves them with the policy of the site:
 *
 *     webhooks.html      pages/webhooks.html, without inline scripts and styles
 *     assets/app.js      app.js
 *     inline scripts     scripts-<hash>.js
 */
export function servedFiles(built: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const path of filesIn(built)) {
    const content = readFileSync(join(built, path));
    if (path.startsWith("assets/")) files.set(path.slice("assets/".length), content);
    else if (path.endsWith(".html")) {
      const { page, scripts } = withoutInline(content.toString());
      files.set(`${GUIDE_SITE.pages}/${path}`, Buffer.from(page));
      for (const [name, script] of scripts) files.set(name, Buffer.from(script));
    } else files.set(`${GUIDE_SITE.pages}/${path}`, content);
  }
  return files;
}

interface ServedPage {
  readonly page: string;
  /** The scripts that were in the page, by their names. */
  readonly scripts: ReadonlyMap<string, string>;
}

/**
 * Replaces the inline scripts of a page by files, and removes inline styles, neither of which the policy allows. The styles are such that
 * the page's script sets anew when they are needed.
 */
export function withoutInline(html: string): ServedPage {
  const scripts = new Map<string, string>();
  const page = html
    .replaceAll(INLINE_SCRIPT, (_, script: string) => {
      const hash = createHash("sha256").update(script).digest("hex").slice(0, NAME_LENGTH);
      const name = `script-${hash}.js`;
      scripts.set(name, script);
      return `<script src="${assetsOf(GUIDE_SITE)}/${name}"></script>`;
    })
    .replaceAll(INLINE_STYLE, "$1");
  return { page, scripts };
}

/** The files below a folder, by their paths with slashes. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
