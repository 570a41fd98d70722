const DATE = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/;

/** Whether a text is a date, or a date with a time, as filters and URLs have it. */
export const isDate = (text: string): boolean => DATE.test(text) && !Number.isNaN(Date.parse(text));

/** A date or a time of the viewer's zone as the API has it. The server refuses what is neither, with a sentence. */
export function toInstant(text: string): string {
  const date = new Date(text.includes("T") ? text : `${text}T00:00:00`);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}
