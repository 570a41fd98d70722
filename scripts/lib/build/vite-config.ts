import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { InlineConfig } from "vite";
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
  },
});
