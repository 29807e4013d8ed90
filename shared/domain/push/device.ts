import type { Environment } from '../actor.ts';
import { derivedId, type Id } from '../ids.ts';
import { maskEmail, maskPhone } from '../phone.ts';
import { isoTime } from '../time.ts';
import type { PushPlatform, PushTarget } from './transport.ts';

/** What tells whose a device is; names, addresses and phones are stored sealed. */
export interface Identification {
  readonly externalId?: string | undefined;
  readonly contactId?: string | undefined;
  readonly userName?: string | undefined;
  readonly userEmail?: string | undefined;
  readonly userPhone?: string | undefined;
  readonly deviceName?: string | undefined;
  readonly topics?: readonly string[] | undefined;
}

/** A push device as it is stored. Times are ms. */
export interface PushDevice extends PushTarget, Identification {
  readonly id: Id<'pushToken'>;
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  readonly appId: Id<'pushApp'>;
  /** Whether sends may reach it. */
  readonly optedIn: boolean;
  readonly optedOutAt?: number | undefined;
  /** Since when its token reaches no device any more, by its push service's word; a new registration takes it back. */
  readonly retiredAt?: number | undefined;
  readonly createdAt: number;
  /** When it was last registered or changed. */
  readonly updatedAt: number;
  /** Raised by every change. */
  readonly version: number;
}

/** What an app registers a device with. */
export interface Registration extends PushTarget, Identification {
  readonly appId: string;
  readonly optedIn?: boolean | undefined;
}

/** A device's id is made of its app and its token: registering it twice is one row. */
export const deviceIdOf = (organizationId: string, appId: string, token: string): Id<'pushToken'> =>
  derivedId('pushToken', [organizationId, appId, token]);

const IDENTIFICATION = [
  'externalId',
  'contactId',
  'userName',
  'userEmail',
  'userPhone',
  'deviceName',
  'topics',
] as const satisfies readonly (keyof Identification)[];

const given = (fields: Identification): Identification =>
  Object.fromEntries(IDENTIFICATION.map((name) => [name, fields[name]]).filter(([, value]) => value !== undefined));

/** Who opted out comes back only with `optedIn: true`; a device that says nothing at first is in. */
const consentOf = (before: PushDevice | undefined, optedIn: boolean | undefined, at: number) => {
  const stays = optedIn ?? before?.optedIn ?? true;
  return { optedIn: stays, optedOutAt: stays ? undefined : (before?.optedOutAt ?? at) };
};

/** Whether a registration says that the device is another person's now. */
const changesHands = (before: PushDevice, { contactId }: Identification): boolean =>
  before.contactId !== undefined && contactId !== undefined && contactId !== before.contactId;

/**
 * The device after a registration (interface 4.9): what is omitted keeps its stored value, an opt-out stays unless `optedIn` is true,
 * and a token that was retired is good again. Of a device that another contact has now, nothing that told of the former one stays.
 */
export const registered = (
  { organizationId, env }: Pick<PushDevice, 'organizationId' | 'env'>,
  before: PushDevice | undefined,
  { appId, token, platform, p256dh, auth, optedIn, ...fields }: Registration,
  at: number,
): PushDevice => ({
  id: deviceIdOf(organizationId, appId, token),
  organizationId,
  env,
  appId: appId as Id<'pushApp'>,
  token,
  platform,
  p256dh,
  auth,
  ...(before && !changesHands(before, fields) ? given(before) : {}),
  ...given(fields),
  ...consentOf(before, optedIn, at),
  createdAt: before?.createdAt ?? at,
  // One that is slow never takes back the moment of a later one, by which a retirement knows that the token is good again.
  updatedAt: Math.max(at, before?.updatedAt ?? 0),
  version: (before?.version ?? 0) + 1,
});

const told = ({ version: _, ...device }: PushDevice): string =>
  JSON.stringify(
    Object.entries(device)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .filter(([, value]) => value !== undefined),
  );

/** Whether two states of a device say the same: of registrations that come at once, the first may have said it all. */
export const saysTheSame = (a: PushDevice, b: PushDevice): boolean => told(a) === told(b);

/** The device after its opt-out; the row stays. */
export const optedOut = (device: PushDevice, at: number): PushDevice => ({
  ...device,
  optedIn: false,
  optedOutAt: device.optedOutAt ?? at,
  updatedAt: Math.max(at, device.updatedAt),
  version: device.version + 1,
});

const maskName = (name: string): string => `${[...name][0] ?? ''}****`;

/** A device as the interface shows it: its token never, its person masked without pii:full. */
export const deviceView = (device: PushDevice, unmasked: boolean) => {
  const { externalId, contactId, userName, userEmail, userPhone, deviceName, topics } = device;
  const shown = (value: string | undefined, mask: (value: string) => string) =>
    value === undefined ? undefined : unmasked ? value : mask(value);
  const optional = {
    externalId,
    contactId,
    userName: shown(userName, maskName),
    userEmail: shown(userEmail, maskEmail),
    userPhone: shown(userPhone, maskPhone),
    deviceName,
    topics: topics && [...topics],
    optedOutAt: device.optedOutAt === undefined ? undefined : isoTime(device.optedOutAt),
  };
  return {
    id: device.id,
    appId: device.appId,
    platform: device.platform,
    env: device.env,
    optedIn: device.optedIn,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    createdAt: isoTime(device.createdAt),
    updatedAt: isoTime(device.updatedAt),
  };
};

/** A platform that a device may be of, with what tells the devices of an audience apart. */
export interface AudienceDevice {
  readonly id: Id<'pushToken'>;
  readonly platform: PushPlatform;
}
