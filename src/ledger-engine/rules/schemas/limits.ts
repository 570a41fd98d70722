/** Largest schema, in bytes of its JSON: it is stored in one row and told in one event. */
export const SCHEMA_BYTES_MAX = 500_000;
/** Most schemas of one ledger. */
export const SCHEMAS_MAX = 1000;
/** Longest version of a schema, in characters. */
export const SCHEMA_VERSION_LENGTH_MAX = 255;

/** Most segments of a chart. */
export const CHART_SEGMENTS_MAX = 10_000;
/** Deepest nesting of segments: an address has no room for more. */
export const CHART_DEPTH_MAX = 128;
/** Most default metadata of one account, in bytes of JSON: a transaction may create thousands of such accounts. */
export const DEFAULT_METADATA_BYTES_MAX = 8192;

/** Longest pattern, in characters, and most characters of all patterns of a chart. */
export const PATTERN_LENGTH_MAX = 1000;
export const CHART_PATTERNS_LENGTH_MAX = 100_000;
/** Deepest nesting of groups in a pattern. */
export const PATTERN_DEPTH_MAX = 100;
/** Most states of one pattern: each character of a segment visits each of them once at most. */
export const PATTERN_STATES_MAX = 2000;
/** Most states of all patterns of a chart together, which is what it takes to keep them. */
export const CHART_STATES_MAX = 20_000;
/** Most states that one transaction may visit: some 200 ms. Ten thousand ordinary addresses take a twentieth of it. */
export const CHART_VISITS_MAX = 10_000_000;
/** How many visits are as much work as one step of a script, some microsecond. */
export const VISITS_PER_STEP = 50;

/** Most transaction templates and most query templates of a schema. */
export const TEMPLATES_MAX = 1000;
export const QUERIES_MAX = 1000;
/** Longest name of a template, in characters: each transaction that is made by one carries it. */
export const TEMPLATE_NAME_LENGTH_MAX = 255;
/** Most variables of one query template. */
export const QUERY_VARIABLES_MAX = 100;
