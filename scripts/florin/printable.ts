/**
 * A text without characters that move a terminal's cursor, break a line or reverse the order of what is shown: clients choose such texts, and
 * operators look at them. `--json` shows them as they are.
 */
export const printable = (text: string): string =>
  // eslint-disable-next-line no-control-regex -- these characters are what is looked for.
  text.replaceAll(/[\u0000-\u001F\u007F-\u009F\u200E\u200F\u2028-\u202E\u2066-\u2069]/g, "\uFFFD");
