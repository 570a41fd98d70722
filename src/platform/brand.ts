declare const brand: unique symbol;

/** A string that a parser has checked. Only the parser of a brand makes its values. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
