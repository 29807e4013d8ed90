import { checkEndpoint, type EndpointPolicy, hostOf } from '../../core/public-address.ts';

/**
 * The hosts of the browsers' push services; `*.` stands for one or more labels before it. An endpoint comes from an untrusted browser and
 * may name any host: only these are ever called.
 */
const KNOWN_HOSTS = [
  // Chrome, Edge on Android, Opera, Samsung Internet
  'fcm.googleapis.com',
  'android.googleapis.com',
  'jmt17.google.com',
  // Firefox
  '*.push.services.mozilla.com',
  // Edge on Windows
  '*.notify.windows.com',
  // Safari
  '*.push.apple.com',
] as const;

/** Which Web Push endpoints may be registered and called. */
export interface WebPushPolicy extends EndpointPolicy {
  /** Additional hosts in the same form; set by the operator. */
  readonly hosts: readonly string[];
}

/** A host, or `*.` and a domain of two labels at least. */
export const WEB_PUSH_HOST = /^(?:\*\.)?[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*\.[a-z][a-z0-9-]{1,62}$/;

const matches = (host: string, pattern: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;

/** Whether a host is the machine itself; `checkEndpoint` has rejected it unless the policy allows it. */
const isOwnMachine = (host: string): boolean => host === '::1' || host === 'localhost' || host.startsWith('127.');

/** Why a browser's endpoint is rejected, as a sentence after the field's name; undefined if it is accepted. */
export const webPushFault = (endpoint: string, policy: WebPushPolicy): string | undefined => {
  const fault = checkEndpoint(endpoint, policy);
  if (fault !== undefined) return fault;
  const host = hostOf(new URL(endpoint));
  if (policy.allowLoopbackHttp && isOwnMachine(host)) return undefined;
  return [...KNOWN_HOSTS, ...policy.hosts].some((pattern) => matches(host, pattern))
    ? undefined
    : "must be an endpoint of a browser's push service";
};
