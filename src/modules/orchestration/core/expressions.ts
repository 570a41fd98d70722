/** The variables that filters and variables of triggers see: the payload of the event. */
export const EXPRESSION_NAMES: readonly string[] = ["event"];

/** The functions that they may call besides the built-in ones. */
export const EXPRESSION_FUNCTIONS: readonly string[] = ["link"];
