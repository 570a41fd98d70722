const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL's host is this machine. `127.example.com` is not: its owner may point it anywhere. */
export const isLoopbackHost = (hostname: string): boolean => LOOPBACK_HOST.test(hostname);
