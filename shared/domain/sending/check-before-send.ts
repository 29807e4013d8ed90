import type { MessageRecord } from '../message/message.ts';
import type { RefusedAnswer } from '../message/provider-port.ts';
import { destinationRefusal } from './destinations.ts';
import { requiresConsentOf } from './draft.ts';
import type { RoutePorts } from './ports.ts';
import type { ConsentFault } from './refusals.ts';

/** Ports for checking a message again just before it is sent. */
export interface CheckBeforeSendPorts extends RoutePorts {
  /** Why consent forbids a message now. If its contact was merged, the surviving contact's consent applies. */
  readonly consentNow: (message: MessageRecord, requiresConsent: boolean) => Promise<ConsentFault | undefined>;
}

/**
 * A message is checked again if it waited this long since its acceptance, in ms; otherwise it was checked a moment ago.
 */
const CHECKED_AGAIN_MS = 10_000;

const stopped = (reason: string, detail: string): RefusedAnswer => ({
  kind: 'refused',
  cause: 'recipient',
  reason,
  detail,
  notCalled: true,
});
const OF_CONSENT: Readonly<Record<ConsentFault, RefusedAnswer>> = {
  opted_out: stopped('opt_out', 'the contact opted out after it was accepted'),
  unknown_contact: stopped('unknown_contact', 'its contact was erased'),
};

/** The channels that may carry it: an RCS message may become an SMS. */
const channelsOf = ({ channel, carrierCoins }: MessageRecord) =>
  carrierCoins ? ([channel, 'sms'] as const) : [channel];

const destinationStop = async (
  ports: CheckBeforeSendPorts,
  message: MessageRecord,
): Promise<RefusedAnswer | undefined> => {
  for (const channel of channelsOf(message)) {
    const refusal = await destinationRefusal(ports, message, { channel, to: message.to });
    if (refusal)
      return stopped(String(refusal.details.meta?.motivo), 'its destination was closed or held after it was accepted');
  }
  return undefined;
};

/**
 * Why a message that waited must not be sent any more (docs/spec/sends.md#checked-again): an opt-out, an erasure, or a destination that was
 * closed or held since its acceptance. Undefined if it may be sent. Reads nothing for a message that is sent immediately.
 */
export const sendRefusal = async (
  ports: CheckBeforeSendPorts,
  message: MessageRecord,
  now: number,
): Promise<RefusedAnswer | undefined> => {
  if (now - message.createdAt < CHECKED_AGAIN_MS) return undefined;
  const [fault, stop] = await Promise.all([
    ports.consentNow(message, requiresConsentOf(message)),
    destinationStop(ports, message),
  ]);
  return fault ? OF_CONSENT[fault] : stop;
};
