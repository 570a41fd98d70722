/** An object whose members that may be undefined or null are optional instead. */
export type Given<T> = { readonly [K in CertainKeys<T>]: T[K] } & {
  readonly [K in Exclude<keyof T, CertainKeys<T>>]?: NonNullable<T[K]>;
};

type CertainKeys<T> = {
  [K in keyof T]-?: [Extract<T[K], null | undefined>] extends [never] ? K : never;
}[keyof T];

/** Leaves out the members that are undefined or null, as answers and domain values have no member for what is absent. */
export const given = <T extends object>(object: T): Given<T> =>
  Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined && value !== null),
  ) as Given<T>; // exactly the members that the type makes optional may be gone
