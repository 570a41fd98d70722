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
