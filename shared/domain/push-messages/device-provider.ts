import type { AppStore } from '../channels/push/app.ts';
import { deviceIdOf, type PushDevice } from '../channels/push/device.ts';
import { notificationOf } from '../channels/push/notification.ts';
import { skipReason } from '../channels/push/outcome.ts';
import type { PushAnswer } from '../channels/push/transport.ts';
import { type Id, isId } from '../core/ids.ts';
import type { Dispatch, Provider, ProviderAnswer } from '../message/provider-port.ts';
import type { Candidates } from '../sending/ports.ts';
import type { SendPushPorts } from './ports.ts';

/** Ports of sending to a single device through the common pipeline. */
export interface SinglePushPorts
  extends Pick<SendPushPorts, 'clock' | 'transport' | 'devices' | 'deniedContacts' | 'retire'> {
  readonly apps: Pick<AppStore, 'list' | 'credentials'>;
}

const refused = (cause: 'recipient' | 'content' | 'blacklisted' | 'credentials', detail: string): ProviderAnswer => ({
  kind: 'refused',
  cause,
  detail,
});

/** A device by its id, or by its token in any app of the organization. */
const deviceOf = async (
  { apps, devices }: SinglePushPorts,
  organizationId: Id<'organization'>,
  to: string,
): Promise<PushDevice | undefined> => {
  const ids = isId('pushToken', to)
    ? [to]
    : (await apps.list(organizationId)).map(({ id }) => deviceIdOf(organizationId, id, to));
  const found = [...(await devices(organizationId, ids)).values()];
  return found.find(({ optedIn, retiredAt }) => optedIn && retiredAt === undefined) ?? found[0];
};

/** Converts a push service's answer; retires the device when its token is dead. */
const toProviderAnswer = async (
  { retire }: SinglePushPorts,
  { organizationId, id }: PushDevice,
  answer: PushAnswer,
  at: number,
): Promise<ProviderAnswer> => {
  if (answer.kind !== 'refused') return answer;
  const { deadToken, ...refusal } = answer;
  if (deadToken) await retire(organizationId, [id], at);
  return refusal;
};

const sendTo = async (
  ports: SinglePushPorts,
  organizationId: Id<'organization'>,
  { messageId, to, content }: Dispatch<unknown>,
): Promise<ProviderAnswer> => {
  const notification = notificationOf(content);
  if (!notification) return refused('content', 'the payload has no text');
  const device = await deviceOf(ports, organizationId, to);
  const denied = await ports.deniedContacts(organizationId, device?.contactId ? [device.contactId] : []);
  const skipped = skipReason(device, denied);
  if (!device || skipped === 'unregistered') return refused('recipient', 'the device is not registered');
  if (skipped) return refused('blacklisted', 'the device opted out');
  const app = (await ports.apps.credentials(organizationId)).get(device.appId);
  if (!app) return refused('credentials', "the device's app is deleted");
  const at = ports.clock();
  const { platform, token, p256dh, auth } = device;
  const answer = await (await ports.transport()).send({
    app,
    device: { platform, token, p256dh, auth },
    notification,
    dispatchId: messageId,
  });
  return toProviderAnswer(ports, device, answer, at);
};

/** An error before the push service was called: nothing was sent. */
const failed = (fault: unknown): ProviderAnswer => ({
  kind: 'refused',
  cause: 'unavailable',
  detail: `push: ${fault instanceof Error ? fault.name : 'unknown fault'}`,
});

/** The push services as a provider of the common pipeline, for one organization: its apps hold the credentials. */
const pushProvider = (ports: SinglePushPorts, organizationId: Id<'organization'>): Provider<unknown> => ({
  name: 'push_services',
  send: (dispatch) => sendTo(ports, organizationId, dispatch).catch(failed),
  readCallback: async () => ({ kind: 'forged', detail: 'push services send no callbacks' }),
});

const NO_APP = 'no push app is registered: `POST /v2/push/apps` with the credentials of its platforms';

/** The provider candidates of an organization's pushes: none until it has registered an app. */
export const pushCandidates = async (
  ports: SinglePushPorts,
  organizationId: Id<'organization'>,
): Promise<Candidates> =>
  (await ports.apps.list(organizationId)).length === 0
    ? { kind: 'none', missing: NO_APP }
    : { kind: 'ready', providers: [pushProvider(ports, organizationId)] };
