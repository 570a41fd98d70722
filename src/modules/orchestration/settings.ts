import { DeclaredSettings } from "#platform/settings.ts";

/** Orchestration has no settings of its own. */
export const orchestrationSettings = new DeclaredSettings({});
