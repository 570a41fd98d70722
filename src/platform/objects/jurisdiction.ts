import { memoByEnv } from "#platform/memo.ts";
import { platformSettings, type PlatformSettings } from "#platform/platform-settings.ts";

/** The jurisdiction in which all objects of a deployment lie. */
export type Jurisdiction = PlatformSettings["FLORIN_JURISDICTION"];

/** The jurisdiction of a deployment. It reads the one setting, because objects are also called where other settings are not known. */
export const jurisdictionOf = memoByEnv((env: object): Jurisdiction => {
  const text = (env as Readonly<Record<string, string | undefined>>)["FLORIN_JURISDICTION"]; // a variable of the Worker is a text
  return platformSettings.settings.FLORIN_JURISDICTION.schema.parse(text || undefined);
});
