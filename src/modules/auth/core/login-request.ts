import type { AuthorizeRequest } from "./authorize-request.ts";

/** A login for our own page of devices, to which the person comes back. */
export interface DeviceLogin extends Pick<
  AuthorizeRequest,
  "prompts" | "maxAgeSeconds" | "loginHint"
> {
  /** The user code that the person has brought; empty for none. */
  readonly userCode: string;
}

/** What a login is for: the request of a client, or our own page of devices. */
export type LoginRequest = AuthorizeRequest | DeviceLogin;

export const isDeviceLogin = (request: LoginRequest): request is DeviceLogin =>
  "userCode" in request;
