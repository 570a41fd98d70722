/** One of the two generations of the API, whose operations differ in their lists only. */
export interface Generation {
  readonly prefix: string;
  readonly tags: readonly string[];
  /** The id of an operation by its name in the first generation. The second generation puts `v2` in front. */
  readonly idOf: (name: string) => string;
}

export const V1: Generation = {
  prefix: "",
  tags: ["Orchestration API v1"],
  idOf: (name) => name,
};

export const V2: Generation = {
  prefix: "/v2",
  tags: ["Workflows"],
  idOf: (name) => `v2${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
};
