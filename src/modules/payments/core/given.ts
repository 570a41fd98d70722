/** The type of an object without members that are undefined or null: such members are optional. */
export type Given<T> = { readonly [K in CertainKeys<T>]: T[K] } & {
  readonly [K in Exclude<keyof T, CertainKeys<T>>]?: NonNullable<T[K]>;
};

type CertainKeys<T> = {
  [K in keyof T]-?: [Extract<T[K], null | undefined>] extends [never] ? K : never;
}[keyof T];

/** Leaves out members that are undefined or null, because answers and domain values omit what is absent. */
export const given = <T extends object>(object: T): Given<T> =>
  Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined && value !== null),
  ) as Given<T>; // only members that the type makes optional are left out
