/** The choice of the number of transactions, beside the assets. */
export const COUNTS = "";
