export const ALERT_STATUSES = ["OPEN", "ACKNOWLEDGED", "RESOLVED"] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

export const ALERT_EVENT_TYPES = [
  "fail",
  "pass",
  "ack",
  "resolve",
  "accept",
  "snooze",
  "unsnooze",
] as const;
export type AlertEventType = (typeof ALERT_EVENT_TYPES)[number];

/** The types of published events. */
export const PUBLISHED_TYPES = [
  "OPENED_ALERT",
  "UPDATED_ALERT",
  "REOPENED_ALERT",
  "ACKNOWLEDGED_ALERT",
  "RESOLVED_ALERT",
  "ACCEPTED_ALERT",
  "SNOOZED_ALERT",
  "UNSNOOZED_ALERT",
] as const;
export type PublishedType = (typeof PUBLISHED_TYPES)[number];
