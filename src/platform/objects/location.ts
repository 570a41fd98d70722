import { type Jurisdiction, jurisdictionOf } from "./jurisdiction.ts";
import { AppError } from "#platform/errors.ts";

/** Where the platform is asked to keep an object; the names are the platform's own. */
export const LOCATIONS = [
  "wnam",
  "enam",
  "sam",
  "weur",
  "eeur",
  "apac",
  "apac-ne",
  "apac-se",
  "oc",
  "afr",
  "me",
] as const satisfies readonly DurableObjectLocationHint[];
export type ObjectLocation = (typeof LOCATIONS)[number];

/** The locations inside of each jurisdiction. */
const INSIDE: Readonly<Record<Jurisdiction, readonly ObjectLocation[]>> = {
  none: LOCATIONS,
  eu: ["weur", "eeur"],
  fedramp: ["wnam", "enam"],
};

/** Throws `VALIDATION` for a location outside of the deployment's jurisdiction, which the platform could not honour. */
export function assertLocation(env: object, location: ObjectLocation): void {
  const jurisdiction = jurisdictionOf(env);
  const allowed = INSIDE[jurisdiction];
  if (allowed.includes(location)) return;
  throw new AppError(
    "VALIDATION",
    `the location ${location} lies outside of the deployment's jurisdiction ${jurisdiction}, which has ${allowed.join(" and ")}`,
  );
}
