import { jurisdictionOf } from "./jurisdiction.ts";
import type { ObjectLocation } from "./location.ts";

/** The name of an object, with the location where the platform shall make the object if this is its first call. */
export interface ObjectPlace {
  readonly name: string;
  readonly location: ObjectLocation;
}

/**
 * The Durable Object of a name. This function makes every address of an object, so that all objects of a deployment lie in its jurisdiction: a
 * name has an object of its own in each jurisdiction, and an address without it would be that of another, empty object. A location, on the
 * other hand, is no part of the address: it is a hint for the platform, which the first call of an object gives.
 *
 * `env` is the Worker's own environment, as it has the setting.
 */
export function objectAt<T extends Rpc.DurableObjectBranded | undefined>(
  env: object,
  namespace: DurableObjectNamespace<T>,
  place: string | ObjectPlace,
): DurableObjectStub<T> {
  const jurisdiction = jurisdictionOf(env);
  const inPlace = jurisdiction === "none" ? namespace : namespace.jurisdiction(jurisdiction);
  if (typeof place === "string") return inPlace.getByName(place);
  return inPlace.getByName(place.name, { locationHint: place.location });
}
