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

/**
 * Makes a function that gives the name of the module of an operation, by its tags: the tag of each operation is the name of one of its
 * module's resources. Operations of no module belong to the platform.
 */
export function moduleFinder(
  modules: readonly { readonly name: string; readonly resources: readonly ResourceGroup[] }[],
): (operation: { readonly tags?: readonly string[] | undefined }) => string {
  const byTag = new Map<string, string>();
  for (const { name, resources: groups } of modules) {
    for (const { resources } of groups) {
      for (const resource of resources) byTag.set(resource.name, name);
    }
  }
  return ({ tags = [] }) => byTag.get(tags[0] ?? "") ?? "platform";
}
