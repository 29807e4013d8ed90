import { isId } from '../ids.ts';
import type { Candidates } from '../messages/ports.ts';
import type { Dispatch, Provider, ProviderAnswer } from '../messages/provider.ts';
import type { AppStore } from './app.ts';
import { deviceIdOf, type PushDevice } from './device.ts';
import type { PushContent } from './message.ts';
import { leftOut } from './outcome.ts';
import type { SendPushPorts } from './ports.ts';
import type { PushAction, PushAnswer } from './transport.ts';

/** What sending to one device through the common pipeline needs. */
export interface SinglePushPorts
  extends Pick<SendPushPorts, 'clock' | 'transport' | 'devices' | 'deniedContacts' | 'retire'> {
  readonly apps: Pick<AppStore, 'list' | 'credentials'>;
}

const refused = (cause: 'recipient' | 'content' | 'blacklisted' | 'credentials', detail: string): ProviderAnswer => ({
  kind: 'refused',
  cause,
  detail,
});

/** A device by its id, or by its token under any app of the organization. */
const deviceOf = async (
  { apps, devices }: SinglePushPorts,
  organizationId: string,
  to: string,
): Promise<PushDevice | undefined> => {
  const ids = isId('pushToken', to)
    ? [to]
    : (await apps.list(organizationId)).map(({ id }) => deviceIdOf(organizationId, id, to));
  const found = [...(await devices(organizationId, ids)).values()];
  return found.find(({ optedIn, retiredAt }) => optedIn && retiredAt === undefined) ?? found[0];
};

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const actionsOf = (value: unknown): PushAction[] | undefined =>
  Array.isArray(value)
    ? value.flatMap((each: unknown) => {
        const { label, link } = (each ?? {}) as Readonly<Record<string, unknown>>;
        return text(label) === undefined ? [] : [{ label: text(label) ?? '', link: text(link) }];
      })
    : undefined;

/** What a unified payload says as a notification: the fields of a push message, or a plain text; undefined where it says nothing. */
export const notificationOf = (content: unknown): PushContent | undefined => {
  const { payload } = (content ?? {}) as { readonly payload?: Readonly<Record<string, unknown>> };
  const body = text(payload?.body) ?? text(payload?.text);
  if (!payload || body === undefined) return undefined;
  return {
    title: text(payload.title) ?? '',
    body,
    deepLink: text(payload.deepLink),
    imageUrl: text(payload.imageUrl),
    actions: actionsOf(payload.actions),
    silent: payload.silent === true ? true : undefined,
  };
};

/** The pipeline's answer of a push service's; a token that is dead is retired. */
const answered = async (
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
  organizationId: string,
  { messageId, to, content }: Dispatch<unknown>,
): Promise<ProviderAnswer> => {
  const notification = notificationOf(content);
  if (!notification) return refused('content', 'the payload has no text');
  const device = await deviceOf(ports, organizationId, to);
  const denied = await ports.deniedContacts(organizationId, device?.contactId ? [device.contactId] : []);
  const left = leftOut(device, denied);
  if (!device || left === 'unregistered') return refused('recipient', 'the device is not registered');
  if (left) return refused('blacklisted', 'the device opted out');
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
  return answered(ports, device, answer, at);
};

/** A fault before the push service was called: nothing was sent. */
const failed = (fault: unknown): ProviderAnswer => ({
  kind: 'refused',
  cause: 'unavailable',
  detail: `push: ${fault instanceof Error ? fault.name : 'unknown fault'}`,
});

/** The push services as the pipeline's provider, for the devices of one organization: its apps hold the credentials. */
export const pushProvider = (ports: SinglePushPorts, organizationId: string): Provider<unknown> => ({
  name: 'push_services',
  send: (dispatch) => sendTo(ports, organizationId, dispatch).catch(failed),
  readCallback: async () => ({ kind: 'forged', detail: 'push services call nobody back' }),
});

const NO_APP = 'no push app is registered: `POST /v2/push/apps` with the credentials of its platforms';

/** Who carries an organization's pushes: the push services, once it registered an app. */
export const pushCandidates = async (ports: SinglePushPorts, organizationId: string): Promise<Candidates> =>
  (await ports.apps.list(organizationId)).length === 0
    ? { kind: 'none', missing: NO_APP }
    : { kind: 'ready', providers: [pushProvider(ports, organizationId)] };
