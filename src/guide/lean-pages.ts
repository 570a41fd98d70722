import type { Plugin } from "vite";

/** What VitePress writes around the markup of a page that never changes. */
const STATIC = /["'`]__VP_STATIC_START__[^]*?__VP_STATIC_END__["'`]/g;

/**
 * Writes the scripts `<page>.lean.js`, which have a page without its static markup, because the first page that a browser opens has that
 * markup in its HTML. VitePress adds these files to the bundle in a way that the bundler of Vite 8 ignores.
 */
export const leanPages = (): Plugin => ({
  name: "florin:lean-pages",
  apply: "build",
  // VitePress removes its marks afterwards.
  enforce: "pre",
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk" || chunk.facadeModuleId?.endsWith(".md") !== true) continue;
      this.emitFile({
        type: "asset",
        fileName: chunk.fileName.replace(/\.js$/, ".lean.js"),
        source: chunk.code.replaceAll(STATIC, '""'),
      });
    }
  },
});
