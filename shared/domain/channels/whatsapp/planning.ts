import type { Tenant } from '../../core/actor.ts';
import { isRefusal } from '../../core/errors.ts';
import type { ChannelPlanning } from '../../message/define-channel.ts';
import type { MediaStorage } from '../../message/message.ts';
import { phoneOf } from '../../message/recipient.ts';
import type { SendRequest } from '../../message/send-request.ts';
import { composeMetaMessage } from '../meta/compose.ts';
import { WHATSAPP_PAYLOADS } from './payload-schemas.ts';
import type { WhatsappPlanPorts } from './plan-ports.ts';
import { withSavedTemplate } from './templates/send.ts';

type Planning = ChannelPlanning<'whatsapp', WhatsappPlanPorts>;

export const payloadSchema: Planning['payloadSchema'] = (type) => WHATSAPP_PAYLOADS[type];

export const fieldNames: NonNullable<Planning['fieldNames']> = ({ text }) =>
  text === undefined ? {} : { 'payload.text': 'text' };

/** The uploaded file of a media message; undefined for one that the organization did not upload here, or that has expired. */
const uploadedMediaOf = async (
  { clock, findMedia }: WhatsappPlanPorts,
  { organizationId }: Tenant,
  { payload }: SendRequest,
): Promise<MediaStorage | undefined> => {
  const media = payload?.media as { readonly id?: unknown } | undefined;
  const found = typeof media?.id === 'string' ? await findMedia(organizationId, media.id, clock()) : undefined;
  return found && { mimeType: found.mimeType, size: found.size, storedAt: found.storedAt };
};

/**
 * Plans a WhatsApp message. 409 `window_closed` for anything but a template outside the 24-hour window
 * (docs/spec/whatsapp.md#the-24-hour-window).
 */
export const plan: Planning['plan'] = async (ports, tenant, original) => {
  // The route follows the template's actual category, also for a resend: with another template's category, marketing could pass as
  // transactional.
  const request = await withSavedTemplate(ports, tenant.organizationId, { ...original, route: undefined });
  if (isRefusal(request)) return request;
  const to = phoneOf(request.to);
  if (isRefusal(to)) return to;
  const isTemplate = request.type === 'template';
  const sender = { channel: 'whatsapp', to, needsWindow: !isTemplate } as const;
  const [composed, mediaStorage] = await Promise.all([
    composeMetaMessage(ports, tenant, request, WHATSAPP_PAYLOADS[request.type], sender),
    uploadedMediaOf(ports, tenant, request),
  ]);
  if (isRefusal(composed)) return composed;
  const { route = isTemplate ? 'marketing' : 'session' } = request;
  const requiresConsent = route === 'marketing' || route === 'session';
  const labels = mediaStorage ? { ...composed.labels, mediaStorage } : composed.labels;
  return { plan: { ...composed, labels, channel: 'whatsapp', route, requiresConsent } };
};
