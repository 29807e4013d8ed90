import type { Tenant } from '../../core/actor.ts';
import { derivedId, type Id } from '../../core/ids.ts';
import { definedFields } from '../../core/patch.ts';
import { maskEmail, maskPhone } from '../../core/phone.ts';
import { isoTime } from '../../core/time.ts';
import type { PushTarget } from './transport.ts';

/** Identifies the device's owner; names (also the device's own), addresses and phones are stored sealed. */
export interface Identification {
  readonly externalId?: string | undefined;
  readonly contactId?: Id<'contact'> | undefined;
  readonly userName?: string | undefined;
  readonly userEmail?: string | undefined;
  readonly userPhone?: string | undefined;
  readonly deviceName?: string | undefined;
  readonly topics?: readonly string[] | undefined;
}

/** A stored push device. Times in ms. */
export interface PushDevice extends PushTarget, Identification, Tenant {
  readonly id: Id<'pushToken'>;
  readonly appId: Id<'pushApp'>;
  /** Whether it may be sent to. */
  readonly optedIn: boolean;
  readonly optedOutAt?: number | undefined;
  /** When its push service reported the token as dead; cleared by a new registration. */
  readonly retiredAt?: number | undefined;
  readonly createdAt: number;
  /** Last registration or change. */
  readonly updatedAt: number;
  /** Incremented by every change. */
  readonly version: number;
}

export interface Registration extends PushTarget, Identification {
  readonly appId: Id<'pushApp'>;
  readonly optedIn?: boolean | undefined;
}

/** How many of a person's devices one message reaches: the last registered ones. */
export const MAX_DEVICES_OF_PERSON = 50;

/** The device's id, derived from app and token: registering twice writes one row. */
export const deviceIdOf = (organizationId: Id<'organization'>, appId: Id<'pushApp'>, token: string): Id<'pushToken'> =>
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

/** An opt-out is only reverted by `optedIn: true`; a new device is opted in by default. */
const consentOf = (before: PushDevice | undefined, optedIn: boolean | undefined, at: number) => {
  const isIn = optedIn ?? before?.optedIn ?? true;
  return { optedIn: isIn, optedOutAt: isIn ? undefined : (before?.optedOutAt ?? at) };
};

const belongsToAnotherContact = (before: PushDevice, { contactId }: Identification): boolean =>
  before.contactId !== undefined && contactId !== undefined && contactId !== before.contactId;

/**
 * The device after a registration. Omitted fields keep their stored value, an opt-out stays unless `optedIn` is true, and a retired token
 * becomes valid again. If the device now belongs to another contact, the former contact's identification is dropped
 * (docs/spec/push.md#devices).
 */
export const afterRegistration = (
  { organizationId, env }: Tenant,
  before: PushDevice | undefined,
  { appId, token, platform, p256dh, auth, optedIn, ...fields }: Registration,
  at: number,
): PushDevice => ({
  id: deviceIdOf(organizationId, appId, token),
  organizationId,
  env,
  appId,
  token,
  platform,
  p256dh,
  auth,
  ...(before && !belongsToAnotherContact(before, fields) ? given(before) : {}),
  ...given(fields),
  ...consentOf(before, optedIn, at),
  createdAt: before?.createdAt ?? at,
  // Never moves backwards when registrations overlap: a retirement compares it to detect that the token was registered again.
  updatedAt: Math.max(at, before?.updatedAt ?? 0),
  version: (before?.version ?? 0) + 1,
});

const comparableForm = ({ version: _, ...device }: PushDevice): string =>
  JSON.stringify(
    Object.entries(device)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .filter(([, value]) => value !== undefined),
  );

/** Whether two states are equal apart from the version, e.g. after concurrent identical registrations. */
export const isUnchanged = (a: PushDevice, b: PushDevice): boolean => comparableForm(a) === comparableForm(b);

/** The device after an opt-out; the row is kept. */
export const afterOptOut = (device: PushDevice, at: number): PushDevice => ({
  ...device,
  optedIn: false,
  optedOutAt: device.optedOutAt ?? at,
  updatedAt: Math.max(at, device.updatedAt),
  version: device.version + 1,
});

const maskName = (name: string): string => `${[...name][0] ?? ''}****`;

/** A device as the API returns it, without its token; personal data is masked without pii:full (docs/spec/push.md#devices). */
export const deviceView = (device: PushDevice, unmasked: boolean) => {
  const { externalId, contactId, userName, userEmail, userPhone, deviceName, topics } = device;
  const masked = (value: string | undefined, mask: (value: string) => string) =>
    value === undefined ? undefined : unmasked ? value : mask(value);
  const optional = {
    externalId,
    contactId,
    userName: masked(userName, maskName),
    userEmail: masked(userEmail, maskEmail),
    userPhone: masked(userPhone, maskPhone),
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
    ...definedFields(optional),
    createdAt: isoTime(device.createdAt),
    updatedAt: isoTime(device.updatedAt),
  };
};

export type AudienceDevice = Pick<PushDevice, 'id' | 'platform'>;
