import { loadSettings, type SettingsModule } from "./modules.ts";
import { admissionSettings } from "#platform/admission/admission-settings.ts";
import { deadLetterSettings } from "#platform/dead-letters/dead-letter-settings.ts";
import { failedRequestSettings } from "#platform/failed-requests/failed-request-settings.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { DeclaredSettings, type SettingsTable } from "#platform/settings.ts";
import { trafficSettings } from "#platform/traffic/traffic-settings.ts";

/** The settings of one module, or of a part of the platform. */
export interface OwnedSettings {
  /** The name of the module, `platform`, `admission`, `dead-letters`, `failed-requests` or `traffic`. */
  readonly owner: string;
  readonly table: SettingsTable;
}

/** The settings of the platform and of every module, which declares its own in a file `settings.ts`. */
export const OWNED_SETTINGS: readonly OwnedSettings[] = [
  { owner: "platform", table: platformSettings },
  { owner: "admission", table: admissionSettings },
  { owner: "dead-letters", table: deadLetterSettings },
  { owner: "failed-requests", table: failedRequestSettings },
  { owner: "traffic", table: trafficSettings },
  ...(await loadSettings()).flatMap(tablesIn),
];

export const SETTING_TABLES: readonly SettingsTable[] = OWNED_SETTINGS.map(({ table }) => table);

export const SETTING_NAMES: readonly string[] = SETTING_TABLES.flatMap(({ names }) => names);

function tablesIn({ owner, exported }: SettingsModule): OwnedSettings[] {
  const tables = Object.values(exported).filter((value) => value instanceof DeclaredSettings);
  return tables.map((table) => ({ owner, table }));
}
