import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { InlineConfig, Rolldown } from "vite";
import { CONSOLE_SITE } from "#console/site.ts";
import { assetsOf } from "#platform/modules/site.ts";
import { inProject } from "#scripts/lib/project.ts";

/** How Vite builds the console into a folder. The names of all files but `index.html` contain a hash of their content. */
export const consoleConfig = (folder: string): InlineConfig => ({
  root: inProject("src/console"),
  base: `${assetsOf(CONSOLE_SITE)}/`,
  configFile: false,
  envDir: false,
  logLevel: "warn",
  plugins: [react(), tailwind()],
  build: {
    outDir: folder,
    emptyOutDir: true,
    assetsDir: "",
    // The policy of the page allows no data URLs but for images.
    assetsInlineLimit: 0,
    target: "es2023",
    cssTarget: ["chrome123", "firefox128", "safari17.5"],
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: GROUPS.map((group, index) => ({ ...group, priority: GROUPS.length - index })),
        },
      },
    },
  },
});

type Group = Omit<Rolldown.CodeSplittingGroup, "priority">;

/**
 * The files that pages share. With a file for each set of pages, which is what the bundler makes by itself, a page would load ninety files,
 * and each request costs the browser more than the bytes of a shared file that the page does not need. A module goes, with what it imports,
 * into the first group that takes it. What no group takes, such as the library of a chart, has a file of its own.
 *
 *     page ──► its place ──► list ──► table, popup, form ──► parts ──► base
 */
const GROUPS: readonly Group[] = [
  { name: "base", tags: ["$initial"] },
  {
    name: "parts",
    test: /console[\\/]parts[\\/](?!charts[\\/]line|(?:filters|forms|lists|table)[\\/]|money[\\/]amount-field)|node_modules[\\/](?:lucide-react|@tanstack[\\/](?:react-)?query)/,
    minShareCount: 2,
  },
  { name: "form", test: /console[\\/]parts[\\/](?:forms[\\/]|money[\\/]amount-field)/ },
  {
    name: "popup",
    test: /node_modules[\\/](?:@floating-ui|@base-ui[\\/](?:utils|react[\\/](?:floating-ui-react|internals|utils)))[\\/]/,
    // Fewer pages have a part of the library that is no popup of the lists.
    minShareCount: 20,
  },
  { name: "table", test: /console[\\/]parts[\\/]table[\\/]/ },
  { name: "list", test: /console[\\/]parts[\\/](?:filters|lists)[\\/]/ },
  {
    debugName: "places",
    name: (id) => /console[\\/]places[\\/]([^\\/]+)[\\/]/.exec(id)?.[1] ?? null,
    minShareCount: 2,
  },
];
