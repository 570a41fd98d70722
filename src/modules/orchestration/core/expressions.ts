/** Names that the expressions of triggers can read: `event` is the payload of the event. */
export const EXPRESSION_NAMES: readonly string[] = ["event"];

/** Functions that the expressions of triggers may call besides the built-in ones. */
export const EXPRESSION_FUNCTIONS: readonly string[] = ["link"];
