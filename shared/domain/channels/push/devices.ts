import type { Tenant } from '../../core/actor.ts';
import { type Refusal, refuse } from '../../core/errors.ts';
import type { Id } from '../../core/ids.ts';
import { CONFLICT, retryOnConflict } from '../../core/retry-on-conflict.ts';
import type { AppPorts } from './app.ts';
import {
  afterOptOut,
  afterRegistration,
  deviceIdOf,
  isUnchanged,
  type PushDevice,
  type Registration,
} from './device.ts';
import type { PushPlatform } from './transport.ts';
import { type WebPushPolicy, webPushFault } from './web-push-hosts.ts';

export interface DeviceStore {
  read(organizationId: Id<'organization'>, id: Id<'pushToken'>): Promise<PushDevice | undefined>;
  /** Stores a device. Returns false if it changed since `before` was read. */
  put(device: PushDevice, before: PushDevice | undefined): Promise<boolean>;
}

export interface DevicePorts extends AppPorts {
  readonly devices: DeviceStore;
  /** Which endpoints of browsers may be registered. */
  readonly webPush: WebPushPolicy;
  /** Whether the organization has this contact. */
  readonly hasContact: (organizationId: Id<'organization'>, contactId: Id<'contact'>) => Promise<boolean>;
  /** Called once per opt-out of a device, for the opt-out KPI (docs/spec/push.md#device-opt-out). */
  readonly onOptOut: (platform: PushPlatform) => void;
}

const noApp = refuse('NOT_FOUND', 'There is no such app.');
const noContact = refuse('NOT_FOUND', 'There is no such contact.');
const noKeys = refuse('BAD_REQUEST', {
  detail: 'A browser subscription needs its keys.',
  errors: [
    { path: 'p256dh', message: 'is required on the web' },
    { path: 'auth', message: 'is required on the web' },
  ],
});

/** 400 for a browser's subscription without keys, or whose endpoint is not a known push service. */
const subscriptionFault = (policy: WebPushPolicy, { platform, token, p256dh, auth }: Registration) => {
  if (platform !== 'web') return undefined;
  if (p256dh === undefined || auth === undefined) return noKeys;
  const fault = webPushFault(token, policy);
  return fault === undefined
    ? undefined
    : refuse('BAD_REQUEST', {
        detail: "The token is not an endpoint of a browser's push service.",
        errors: [{ path: 'token', message: fault }],
      });
};

/** Read-modify-write of a device; undefined if it doesn't exist and `change` creates none. */
const updateDevice = (
  { devices, onOptOut }: DevicePorts,
  organizationId: Id<'organization'>,
  id: Id<'pushToken'>,
  change: (before: PushDevice | undefined) => PushDevice | undefined,
): Promise<PushDevice | undefined> =>
  retryOnConflict('The device', async () => {
    const before = await devices.read(organizationId, id);
    const after = change(before);
    if (!after || (before && isUnchanged(before, after))) return before;
    if (!(await devices.put(after, before))) return CONFLICT;
    if (before?.optedIn && !after.optedIn) onOptOut(after.platform);
    return after;
  });

/** Registers or updates a device; idempotent per app and token. Omitted fields are kept (docs/spec/push.md#devices). */
export const registerDevice = async (
  ports: DevicePorts,
  tenant: Tenant,
  registration: Registration,
): Promise<PushDevice | Refusal<'BAD_REQUEST' | 'NOT_FOUND'>> => {
  const { organizationId } = tenant;
  const { appId, token, contactId } = registration;
  const fault = subscriptionFault(ports.webPush, registration);
  if (fault) return fault;
  if (!(await ports.apps.read(organizationId, appId))) return noApp;
  if (contactId !== undefined && !(await ports.hasContact(organizationId, contactId))) return noContact;
  const at = ports.clock();
  const device = await updateDevice(ports, organizationId, deviceIdOf(organizationId, appId, token), (before) =>
    afterRegistration(tenant, before, registration, at),
  );
  if (!device) throw new TypeError('a registration always makes a device');
  return device;
};

/** Opts a device out of all further sends; its row is kept. Idempotent (docs/spec/push.md#device-opt-out). */
export const optOutDevice = async (
  ports: DevicePorts,
  { organizationId }: Tenant,
  { appId, token }: { readonly appId: Id<'pushApp'>; readonly token: string },
): Promise<PushDevice | Refusal<'NOT_FOUND'>> => {
  const at = ports.clock();
  const device = await updateDevice(ports, organizationId, deviceIdOf(organizationId, appId, token), (before) =>
    before?.optedIn ? afterOptOut(before, at) : before,
  );
  return device ?? refuse('NOT_FOUND', 'There is no such device.');
};
