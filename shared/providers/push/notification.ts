import { createHash } from 'node:crypto';
import type { PushAnswer, PushNotification, PushRefusal, PushTarget } from '../../domain/channels/push/transport.ts';
import { definedFields } from '../../domain/core/patch.ts';
import type { ProviderIo, RefusalCause } from '../../domain/message/provider-port.ts';
import { refusal } from '../http.ts';

/** One notification to one device, with the credentials of its push service. */
export interface PushRequest<Credentials> {
  readonly credentials: Credentials;
  readonly device: PushTarget;
  readonly notification: PushNotification;
  readonly dispatchId: string;
}

/** A push service. `send` may throw; the transport turns that into `unknown`. */
export interface PushService<Credentials> {
  send(request: PushRequest<Credentials>): Promise<PushAnswer>;
  close(): void;
}

export interface PushIo extends ProviderIo {
  /** For a whole send, in ms. */
  readonly timeoutMs: number;
}

/** How long push services keep trying to reach an offline device, in seconds. */
export const TTL_SECONDS = 86_400;

/**
 * Data for the app, the same on every platform. Our fields override those of `data`, so that it cannot report another dispatch as opened.
 */
export const appDataOf = ({ deepLink, imageUrl, actions, data }: PushNotification, dispatchId: string) => ({
  ...data,
  dispatchId,
  ...definedFields({ deepLink, imageUrl }),
  ...(actions === undefined || actions.length === 0 ? {} : { actions }),
});

/** Refusal because the device token is no longer valid; the device must not be tried again. */
export const deadToken = (detail: string, cause: RefusalCause = 'recipient'): PushRefusal => ({
  ...refusal(cause, detail),
  deadToken: true,
});

/** A fixed-size id derived from the dispatch id, for services that limit the format. */
export const digestOf = (dispatchId: string): Buffer => createHash('sha256').update(dispatchId).digest();
