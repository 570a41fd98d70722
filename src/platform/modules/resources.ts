/** A group of operations in the API document, which have its name as their tag. */
export interface Resource {
  readonly name: string;
  readonly description: string;
}

/** Resources that belong together. */
export interface ResourceGroup {
  readonly name: string;
  readonly resources: readonly Resource[];
  /** Whether the resources are only for clients of an earlier API, and stand at the end of the document. */
  readonly isLegacy?: boolean;
}
