/** An event for a lane, with the triggers whose filters have to be evaluated for it. */
export interface LaneEvent {
  readonly id: string;
  /** The `PlatformEvent` as JSON. */
  readonly text: string;
  readonly triggers: readonly number[];
}
