declare const brand: unique symbol;

/** A string that a parser has checked; only that parser makes one. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
