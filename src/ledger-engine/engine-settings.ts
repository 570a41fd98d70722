import type { ScriptSettings } from "./rules/scripts.ts";
import type { SchemaRules } from "./write/command-runner.ts";

/** The settings that an engine takes from its deployment. */
export interface EngineSettings {
  readonly scripts: ScriptSettings;
  readonly schemas: SchemaRules;
}

export const ENGINE_SETTINGS: EngineSettings = {
  scripts: { runtime: "machine", featureFlags: new Set() },
  schemas: { isStrict: false, report: () => undefined },
};
