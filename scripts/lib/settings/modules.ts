import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "#scripts/lib/place.ts";

/** What a file `settings.ts` of a module exports, and the name of the module. */
export interface SettingsModule {
  readonly owner: string;
  readonly exported: Readonly<Record<string, unknown>>;
}

/** The files `settings.ts` of the modules, relative to `src/modules`, in order. */
export function settingFiles(): string[] {
  const files = readdirSync(join(ROOT, "src/modules"), { recursive: true, encoding: "utf8" });
  return files.filter((file) => /^[^/]+\/settings\.ts$/.test(file)).toSorted();
}

/** Loads the settings of all modules, which are found by their files. */
export const loadSettings = (): Promise<SettingsModule[]> =>
  Promise.all(
    settingFiles().map(async (file) => ({
      owner: dirname(file),
      exported: (await import(join(ROOT, "src/modules", file))) as Record<string, unknown>, // a module's namespace is one
    })),
  );
