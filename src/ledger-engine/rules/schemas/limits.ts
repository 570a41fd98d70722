/** Largest schema, in bytes of its JSON. A schema is stored in one row and sent in one event. */
export const SCHEMA_BYTES_MAX = 500_000;
/** Largest number of schemas of a ledger. */
export const SCHEMAS_MAX = 1000;
/** Longest version of a schema, in characters. */
export const SCHEMA_VERSION_LENGTH_MAX = 255;

/** Largest number of segments of a chart. */
export const CHART_SEGMENTS_MAX = 10_000;
/** Deepest nesting of segments. The longest address has no more segments. */
export const CHART_DEPTH_MAX = 128;
/** Largest default metadata of one account, in bytes of JSON. A transaction may create thousands of accounts. */
export const DEFAULT_METADATA_BYTES_MAX = 8192;

/** Longest total of all patterns of a chart, in characters. */
export const CHART_PATTERNS_LENGTH_MAX = 100_000;
/** Largest number of states of one pattern. Each character of a segment visits each state at most once. */
export const PATTERN_STATES_MAX = 2000;
/** Largest number of states of all patterns of a chart together. States take memory as long as the chart is kept. */
export const CHART_STATES_MAX = 20_000;
/**
 * Largest number of states that one transaction may visit, which takes about 200 ms. Ten thousand ordinary addresses visit
 * a twentieth of this number.
 */
export const CHART_VISITS_MAX = 10_000_000;
/** The number of visits that take as long as one step of a script, about a microsecond. */
export const VISITS_PER_STEP = 50;

/** Largest number of transaction templates of a schema. */
export const TEMPLATES_MAX = 1000;
/** Largest number of query templates of a schema. */
export const QUERIES_MAX = 1000;
/** Longest name of a template, in characters. Each transaction that a template creates contains its name. */
export const TEMPLATE_NAME_LENGTH_MAX = 255;
/** Largest number of variables of one query template. */
export const QUERY_VARIABLES_MAX = 100;
