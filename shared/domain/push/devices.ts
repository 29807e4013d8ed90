import type { Actor } from '../actor.ts';
import { type Refusal, refuse, Unavailable } from '../errors.ts';
import type { AppPorts } from './app.ts';
import { deviceIdOf, optedOut, type PushDevice, type Registration, registered, saysTheSame } from './device.ts';
import type { PushPlatform } from './transport.ts';

export interface DeviceStore {
  read(organizationId: string, id: string): Promise<PushDevice | undefined>;
  /** Keeps a device unless it moved since `before` was read; false when it did. */
  put(device: PushDevice, before: PushDevice | undefined): Promise<boolean>;
}

export interface DevicePorts extends AppPorts {
  readonly devices: DeviceStore;
  /** Whether the organization has a contact by this id. */
  readonly hasContact: (organizationId: string, contactId: string) => Promise<boolean>;
  /** Hears of a device that left all sends: the opt-out KPI (interface 4.9). Once for each time that it leaves. */
  readonly leftSends: (platform: PushPlatform) => void;
}

/** Tries against other changes of the same device. */
const TRIES = 8;

const noApp = refuse('NOT_FOUND', 'There is no such app.');
const noContact = refuse('NOT_FOUND', 'There is no such contact.');
const noKeys = refuse('BAD_REQUEST', {
  detail: 'A browser subscription needs its keys.',
  errors: [
    { path: 'p256dh', message: 'is required on the web' },
    { path: 'auth', message: 'is required on the web' },
  ],
});

type Tenant = Pick<Actor, 'organizationId' | 'env'>;

/** Changes a device by what it is now; undefined when `change` makes nothing of it. */
const changed = async (
  { devices, leftSends }: DevicePorts,
  organizationId: string,
  id: string,
  change: (before: PushDevice | undefined) => PushDevice | undefined,
): Promise<PushDevice | undefined> => {
  for (let turn = 0; turn < TRIES; turn++) {
    const before = await devices.read(organizationId, id);
    const after = change(before);
    if (!after || (before && saysTheSame(before, after))) return before;
    if (!(await devices.put(after, before))) continue;
    if (before?.optedIn && !after.optedIn) leftSends(after.platform);
    return after;
  }
  throw new Unavailable('The device moved too fast to be changed.');
};

/** Registers or refreshes a device (interface 4.9). Once per app and token: a repeat updates the row, and erases nothing that it omits. */
export const registerDevice = async (
  ports: DevicePorts,
  tenant: Tenant,
  registration: Registration,
): Promise<PushDevice | Refusal<'BAD_REQUEST' | 'NOT_FOUND'>> => {
  const { organizationId } = tenant;
  const { appId, token, platform, p256dh, auth, contactId } = registration;
  if (platform === 'web' && (p256dh === undefined || auth === undefined)) return noKeys;
  if (!(await ports.apps.read(organizationId, appId))) return noApp;
  if (contactId !== undefined && !(await ports.hasContact(organizationId, contactId))) return noContact;
  const at = ports.clock();
  const kept = await changed(ports, organizationId, deviceIdOf(organizationId, appId, token), (before) =>
    registered(tenant, before, registration, at),
  );
  if (!kept) throw new TypeError('a registration always makes a device');
  return kept;
};

/** Takes a device out of all following sends; its row stays (interface 4.9). Repeats change nothing. */
export const optOutDevice = async (
  ports: DevicePorts,
  { organizationId }: Tenant,
  { appId, token }: { readonly appId: string; readonly token: string },
): Promise<PushDevice | Refusal<'NOT_FOUND'>> => {
  const at = ports.clock();
  const device = await changed(ports, organizationId, deviceIdOf(organizationId, appId, token), (before) =>
    before?.optedIn ? optedOut(before, at) : before,
  );
  return device ?? refuse('NOT_FOUND', 'There is no such device.');
};
