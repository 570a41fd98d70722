/** Longest script, in characters. */
export const SOURCE_LENGTH_MAX = 100_000;
/** Largest number of tokens of a script. It also bounds the syntax tree. */
export const TOKENS_MAX = 30_000;
/** Deepest nesting of blocks, expressions and operators. */
export const DEPTH_MAX = 100;
/** Largest number of statements of a script. */
export const STATEMENTS_MAX = 5000;
/** Largest number of variables of a script. */
export const VARIABLES_MAX = 1000;
/** Largest number of postings that a run may produce. */
export const POSTINGS_MAX = 5000;
/** Longest name of an account or asset, in characters. */
export const NAME_LENGTH_MAX = 1024;
/** Longest text that a variable or a metadata value may hold, in characters. */
export const TEXT_LENGTH_MAX = 65_536;
/** Longest integer that a literal or a variable may hold, in decimal digits. */
export const NUMBER_DIGITS_MAX = 1000;
/** Longest numerator and denominator of a portion, and of sums of portions, in decimal digits. */
export const PORTION_DIGITS_MAX = 500;
/**
 * Most work of one run, in steps. Evaluated nodes, moved amounts and copied entries count one each. Texts count by
 * their length, and adding two long portions counts more.
 */
export const STEPS_MAX = 500_000;
/** Largest number of diagnostics of one script. */
export const DIAGNOSTICS_MAX = 20;
