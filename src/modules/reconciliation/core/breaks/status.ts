export const BREAK_STATUSES = ["open", "in_progress", "waiting"] as const;

/** What people do about a break. A line that is matched is no break any more. */
export type BreakStatus = (typeof BREAK_STATUSES)[number];
