import { createHash } from 'node:crypto';
import type { ProviderIo, RefusalCause } from '../../domain/messages/provider.ts';
import type { PushAnswer, PushNotification, PushRefusal, PushTarget } from '../../domain/push/transport.ts';
import { refusal } from '../http.ts';

/** One notification on its way through one push service, with the credentials of that service. */
export interface PushRequest<Credentials> {
  readonly credentials: Credentials;
  readonly device: PushTarget;
  readonly notification: PushNotification;
  readonly dispatchId: string;
}

/** One push service. As its port, it never throws. */
export interface PushService<Credentials> {
  send(request: PushRequest<Credentials>): Promise<PushAnswer>;
  close(): void;
}

/** What every push service gets from outside. */
export interface PushIo extends ProviderIo {
  /** For a whole send, in ms. */
  readonly timeoutMs: number;
}

/** How long push services keep trying to reach a device that is off, in seconds. A notification of yesterday helps nobody. */
export const TTL_SECONDS = 86_400;

/**
 * What the app reads beside the text, the same on every platform. Ours come last: `data` cannot claim another dispatch's opening.
 */
export const fieldsOf = ({ deepLink, imageUrl, actions, data }: PushNotification, dispatchId: string) => ({
  ...data,
  dispatchId,
  ...(deepLink === undefined ? {} : { deepLink }),
  ...(imageUrl === undefined ? {} : { imageUrl }),
  ...(actions === undefined || actions.length === 0 ? {} : { actions }),
});

/** The refusal of a device that is not there any more, and is not to be tried again. */
export const deadToken = (detail: string, cause: RefusalCause = 'recipient'): PushRefusal => ({
  ...refusal(cause, detail),
  deadToken: true,
});

/** A dispatch's id under the form and length that a push service takes, always the same for the same id. */
export const digestOf = (dispatchId: string): Buffer => createHash('sha256').update(dispatchId).digest();
