const DERIVED = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d+-\d+$/;

/**
 * Whether a reference is one that a workflow derives from its instance, the stage and the place in the stage. It is that of no other order,
 * and a restored copy derives it again, maybe long after its original has paid.
 */
export const isDerivedReference = (reference: string): boolean => DERIVED.test(reference);
