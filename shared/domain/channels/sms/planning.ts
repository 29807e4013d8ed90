import * as z from 'zod';
import { isRefusal } from '../../core/errors.ts';
import { NO_TEXT, requestText, textField, toChannelRequest } from '../../message/channel-request.ts';
import type { ChannelPlanning } from '../../message/define-channel.ts';
import { planSms, type SmsPlanPorts } from './plan.ts';
import { smsFields } from './request.ts';

type Planning = ChannelPlanning<'sms', SmsPlanPorts>;

const Request = z.object(smsFields);
const Payload = z.strictObject({ text: z.string().min(1).max(10_000) });

export const payloadSchema: ChannelPlanning<'sms', SmsPlanPorts>['payloadSchema'] = () => Payload;

export const fieldNames: NonNullable<Planning['fieldNames']> = (request) => ({ body: textField(request) });

export const plan: ChannelPlanning<'sms', SmsPlanPorts>['plan'] = async (ports, tenant, request) => {
  const body = requestText(request);
  if (body === undefined) return NO_TEXT;
  const own = toChannelRequest(Request, request, {
    body,
    route: request.route ?? 'premium',
    trackLinks: request.trackLinks,
  });
  return isRefusal(own) ? own : planSms(ports, tenant, own);
};
