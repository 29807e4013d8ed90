import type { Tenant } from '../../core/actor.ts';
import { isRefusal, refuse } from '../../core/errors.ts';
import { asId, type Id } from '../../core/ids.ts';
import { refuseField } from '../../core/refuse-field.ts';
import type { ChannelPlanning } from '../../message/define-channel.ts';
import { recipientIdOf } from '../../message/recipient.ts';
import { payloadOf } from '../meta/compose.ts';
import type { PushPlanPorts } from './content.ts';
import type { AudienceDevice } from './device.ts';
import { fitsPushLimit, PUSH_TOO_LARGE, rateKindOf } from './message.ts';
import { notificationOf } from './notification.ts';
import { skipReason } from './outcome.ts';
import { pushPayloadSchema } from './payload-schema.ts';
import { PUSH_PLATFORMS } from './transport.ts';

type Planning = ChannelPlanning<'push', PushPlanPorts>;

const tooLong = refuseField('The notification is longer than push services accept.', 'text', PUSH_TOO_LARGE);
const noDevice = refuse('VALIDATION_ERROR', {
  detail: 'The recipient has no device.',
  v1Code: 'invalid_recipient',
  errors: [{ path: 'to', message: 'must be a registered device or its token, or an externalId or contact with one' }],
});
const optedOut = refuse('VALIDATION_ERROR', {
  detail: 'The recipient opted out of push.',
  meta: { motivo: 'opt_out' },
  errors: [{ path: 'to', message: 'has no device that is opted in' }],
});

export const payloadSchema: Planning['payloadSchema'] = () => pushPayloadSchema;

/** The devices of a person that may be sent to; 422 for an unknown person, and if all devices opted out. */
const reachableDevices = async (ports: PushPlanPorts, { organizationId }: Tenant, to: string) => {
  const devices = await ports.devicesOf(organizationId, to);
  if (devices.length === 0) return noDevice;
  const contacts = [...new Set(devices.flatMap(({ contactId }): Id<'contact'>[] => (contactId ? [contactId] : [])))];
  const denied = await ports.deniedContacts(organizationId, contacts);
  const reachable = devices.filter((device) => skipReason(device, denied) === undefined);
  if (reachable.length === 0) return optedOut;
  return reachable.map(({ id, platform }): AudienceDevice => ({ id, platform }));
};

/**
 * Plans a push to the devices of a person, each priced by kind like any push (docs/spec/push.md#sending-to-a-person). 422 if it is too large,
 * or the person has no device, or none that is opted in.
 */
export const plan: Planning['plan'] = async (ports, tenant, request) => {
  const { type } = request;
  const to = recipientIdOf(request.to);
  if (isRefusal(to)) return to;
  const payload = payloadOf(request);
  const notification = notificationOf({ payload });
  if (notification && !fitsPushLimit(notification)) return tooLong;
  const devices = await reachableDevices(ports, tenant, to);
  if (isRefusal(devices)) return devices;
  const platforms = PUSH_PLATFORMS.filter((platform) => devices.some((device) => device.platform === platform));
  return {
    plan: {
      channel: 'push',
      route: rateKindOf(notification ?? {}),
      to,
      type,
      content: { payload, platforms, devices, extents: [1] },
      units: devices.length,
      requiresConsent: true,
      contactId: asId('contact', to),
    },
  };
};
