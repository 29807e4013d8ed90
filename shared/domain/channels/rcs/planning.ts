import * as z from 'zod';
import { isRefusal } from '../../core/errors.ts';
import { NO_TEXT, requestText, textField, toChannelRequest } from '../../message/channel-request.ts';
import type { ChannelPlanning } from '../../message/define-channel.ts';
import { planRcs, type RcsPlanPorts } from './plan.ts';
import { rcsFields } from './request.ts';

type Planning = ChannelPlanning<'rcs', RcsPlanPorts>;

const Request = z.object(rcsFields);
const object = z.record(z.string(), z.unknown());
/** A text or a card, and an optional SMS fallback; their content is validated as in the RCS operation. */
const Payload = z
  .strictObject({ text: z.string().min(1).optional(), card: object.optional(), fallback: object.optional() })
  .refine(({ text, card }) => (text === undefined) !== (card === undefined), 'must be either text or card');

export const payloadSchema: ChannelPlanning<'rcs', RcsPlanPorts>['payloadSchema'] = () => Payload;

export const fieldNames: NonNullable<Planning['fieldNames']> = (request) => ({
  content: 'payload',
  'content.text': textField(request),
  fallback: 'payload.fallback',
});

export const plan: ChannelPlanning<'rcs', RcsPlanPorts>['plan'] = async (ports, tenant, request) => {
  const [text, card] = [requestText(request), request.payload?.card];
  if (text === undefined && card === undefined) return NO_TEXT;
  const own = toChannelRequest(Request, request, {
    route: request.route ?? 'easy_rcs',
    content: { ...(text === undefined ? {} : { text }), ...(card === undefined ? {} : { card }) },
    fallback: request.payload?.fallback,
    trackLinks: request.trackLinks,
  });
  return isRefusal(own) ? own : planRcs(ports, tenant, own);
};
