/** Name of the sweep that repairs gaps of the index and reads lists into it. */
export const SEARCH_SWEEP = "search";
