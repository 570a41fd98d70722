import { type FeatureName, FEATURES, type Features } from "./types.ts";
import { AppError } from "#platform/errors.ts";

/** Completes the features of a client with the defaults. Throws `VALIDATION` for an unknown feature or value. */
export function parseFeatures(
  chosen: Readonly<Record<string, string>>,
  { mayChoose }: { mayChoose: boolean },
): Features {
  if (!mayChoose && Object.keys(chosen).length > 0) {
    throw new AppError(
      "VALIDATION",
      "features are not configurable: experimental features are disabled",
    );
  }
  for (const [name, value] of Object.entries(chosen)) {
    if (!isFeature(name)) throw new AppError("VALIDATION", `feature "${name}" does not exist`);
    const values: readonly string[] = FEATURES[name];
    if (!values.includes(value)) {
      throw new AppError(
        "VALIDATION",
        `feature ${name} takes ${values.join(" or ")}, not "${value}"`,
      );
    }
  }
  const defaults = Object.fromEntries(
    Object.entries(FEATURES).map(([name, [standard]]) => [name, standard]),
  );
  return { ...defaults, ...chosen } as Features; // the defaults have all features, and each value was checked above
}

const isFeature = (name: string): name is FeatureName => Object.hasOwn(FEATURES, name);
