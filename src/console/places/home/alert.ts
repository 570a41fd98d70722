import type { Tone } from "#console/parts/base/status.tsx";

/** Something that needs a person. */
export interface Alert {
  readonly id: string;
  readonly tone: Tone;
  readonly title: string;
  /** A name or an error, as others have written it. */
  readonly note?: string | undefined;
  readonly since: string;
  /** The page of the object, or of the list of several ones. */
  readonly path: string;
}
