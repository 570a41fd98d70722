/** Longest expression, in characters. */
export const SOURCE_LENGTH_MAX = 20_000;
/** Largest number of tokens of an expression, which also bounds the syntax tree. */
export const TOKENS_MAX = 10_000;
/** Deepest nesting of an expression, operators included. */
export const DEPTH_MAX = 100;
/** Longest integer literal, in digits. */
export const LITERAL_DIGITS_MAX = 1000;
/** Largest integer of an evaluation, in bits. */
export const INTEGER_BITS_MAX = 4096;
/**
 * Most work of one evaluation, in steps. An evaluated node, an element of an array or map that is made or walked over, and
 * `CHARACTERS_PER_STEP` characters of a text that is made or searched count one step each. The limit also bounds the memory of an
 * evaluation.
 */
export const STEPS_MAX = 200_000;
export const CHARACTERS_PER_STEP = 16;
/** Largest number of states of one regular expression. Each character of a text visits each state at most once. */
export const PATTERN_STATES_MAX = 2000;
/** Visits of states that count as one step. */
export const VISITS_PER_STEP = 20;
/** Deepest nesting of a value that is compared, printed or flattened. */
export const VALUE_DEPTH_MAX = 100;
/** Longest part of a message that repeats what an expression or a value contains, in characters. */
export const SHOWN_MAX = 200;
