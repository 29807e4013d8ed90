import { isRefusal } from '../../core/errors.ts';
import type { ChannelPlanning } from '../../message/define-channel.ts';
import { phoneOf } from '../../message/recipient.ts';
import { composeMetaMessage } from '../meta/compose.ts';
import { WHATSAPP_PAYLOADS } from './payload-schemas.ts';
import type { WhatsappPlanPorts } from './plan-ports.ts';
import { withSavedTemplate } from './templates/send.ts';

type Planning = ChannelPlanning<'whatsapp', WhatsappPlanPorts>;

export const payloadSchema: Planning['payloadSchema'] = (type) => WHATSAPP_PAYLOADS[type];

/**
 * Plans a WhatsApp message. 409 `window_closed` for anything but a template outside the 24-hour window
 * (docs/spec/whatsapp.md#the-24-hour-window).
 */
export const plan: Planning['plan'] = async (ports, tenant, original) => {
  const request = await withSavedTemplate(ports, tenant.organizationId, original);
  if (isRefusal(request)) return request;
  const to = phoneOf(request.to);
  if (isRefusal(to)) return to;
  const isTemplate = request.type === 'template';
  const sender = { channel: 'whatsapp', to, needsWindow: !isTemplate } as const;
  const composed = await composeMetaMessage(ports, tenant, request, WHATSAPP_PAYLOADS[request.type], sender);
  if (isRefusal(composed)) return composed;
  const { route = isTemplate ? 'marketing' : 'session' } = request;
  const requiresConsent = route === 'marketing' || route === 'session';
  return { plan: { ...composed, channel: 'whatsapp', route, requiresConsent } };
};
