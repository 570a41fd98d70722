/** What the API document shows under one name: an operation's tag is the name of its resource. */
export interface Resource {
  readonly name: string;
  readonly description: string;
}

/** Resources that belong together. */
export interface ResourceGroup {
  readonly name: string;
  readonly resources: readonly Resource[];
  /** Whether the group is there for clients of an earlier API: it stands at the end. */
  readonly isLegacy?: boolean;
}
