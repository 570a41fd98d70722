/** The version of this code, as package.json and CHANGELOG.md have it. */
export const FLORIN_VERSION = "0.2.0";
