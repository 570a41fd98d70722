/** The version of this code, equal to that of package.json and CHANGELOG.md. */
export const FLORIN_VERSION = "0.2.0";
