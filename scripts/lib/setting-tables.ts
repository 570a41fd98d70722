import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./project.ts";
import { admissionSettings } from "#platform/admission/admission-settings.ts";
import { failedRequestSettings } from "#platform/failed-requests/failed-request-settings.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { DeclaredSettings, type SettingsTable } from "#platform/settings.ts";

/** The settings of one module, or of a part of the platform. */
export interface OwnedSettings {
  /** The name of the module, `platform`, `admission` or `failed-requests`. */
  readonly owner: string;
  readonly table: SettingsTable;
}

/** The settings of the platform and of every module, which declares its own in a file `settings.ts`. */
export const OWNED_SETTINGS: readonly OwnedSettings[] = [
  { owner: "platform", table: platformSettings },
  { owner: "admission", table: admissionSettings },
  { owner: "failed-requests", table: failedRequestSettings },
  ...(await Promise.all(moduleFiles().map(tablesIn))).flat(),
];

export const SETTING_TABLES: readonly SettingsTable[] = OWNED_SETTINGS.map(({ table }) => table);

export const SETTING_NAMES: readonly string[] = SETTING_TABLES.flatMap(({ names }) => names);

function moduleFiles(): string[] {
  const files = readdirSync(join(ROOT, "src/modules"), { recursive: true, encoding: "utf8" });
  return files.filter((file) => /^[^/]+\/settings\.ts$/.test(file)).toSorted();
}

async function tablesIn(file: string): Promise<OwnedSettings[]> {
  const exported = (await import(join(ROOT, "src/modules", file))) as Record<string, unknown>; // a module's namespace is one
  const tables = Object.values(exported).filter((value) => value instanceof DeclaredSettings);
  return tables.map((table) => ({ owner: dirname(file), table }));
}
