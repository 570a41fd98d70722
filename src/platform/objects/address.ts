import { memoByEnv } from "#platform/memo.ts";
import { platformSettings } from "#platform/platform-settings.ts";

/**
 * The Durable Object of a name. This function makes every address of an object, so that all objects of a deployment lie in its jurisdiction: a
 * name has an object of its own in each jurisdiction, and an address without it would be that of another, empty object.
 *
 * `env` is the Worker's own environment, as it has the setting.
 */
export function objectAt<T extends Rpc.DurableObjectBranded | undefined>(
  env: object,
  namespace: DurableObjectNamespace<T>,
  name: string,
): DurableObjectStub<T> {
  const jurisdiction = jurisdictionOf(env);
  if (jurisdiction === "none") return namespace.getByName(name);
  return namespace.jurisdiction(jurisdiction).getByName(name);
}

/** Reads the one setting, because objects are also called where other settings are not known. */
const jurisdictionOf = memoByEnv((env: object) => {
  const text = (env as Readonly<Record<string, string | undefined>>)["FLORIN_JURISDICTION"]; // a variable of the Worker is a text
  return platformSettings.settings.FLORIN_JURISDICTION.schema.parse(text || undefined);
});
