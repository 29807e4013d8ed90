import { isRefusal } from '../../core/errors.ts';
import type { ChannelPlanning } from '../../message/define-channel.ts';
import { recipientIdOf } from '../../message/recipient.ts';
import { composeMetaMessage, type MetaPlanPorts } from '../meta/compose.ts';
import { INSTAGRAM_PAYLOADS } from './payload-schemas.ts';

type Planning = ChannelPlanning<'instagram', MetaPlanPorts>;

export const payloadSchema: Planning['payloadSchema'] = (type) => INSTAGRAM_PAYLOADS[type];

export const fieldNames: NonNullable<Planning['fieldNames']> = ({ text }) =>
  text === undefined ? {} : { 'payload.text': 'text' };

/**
 * Plans an Instagram message. In live the window must be open; the sandbox has no inbound messages that could open it
 * (docs/spec/instagram.md#instagram-window).
 */
export const plan: Planning['plan'] = async (ports, tenant, request) => {
  const { route = 'session' } = request;
  const to = recipientIdOf(request.to);
  if (isRefusal(to)) return to;
  const sender = { channel: 'instagram', to, needsWindow: tenant.env === 'live' } as const;
  const composed = await composeMetaMessage(ports, tenant, request, INSTAGRAM_PAYLOADS[request.type], sender);
  return isRefusal(composed) ? composed : { plan: { ...composed, channel: 'instagram', route, requiresConsent: true } };
};
