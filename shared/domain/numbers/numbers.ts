import type { Actor } from '../actor.ts';
import { MOVED, removeOnce, untilStored } from '../contended.ts';
import { isRefusal, type Refusal, refuse, Unavailable } from '../errors.ts';
import type { DomainEvent } from '../events/event.ts';
import { newId } from '../ids.ts';
import { ceilingOf } from './limits.ts';
import type { NumberPorts, NumberProfile, RateLimit, WhatsappNumber } from './number.ts';
import { type NumberPlatform, type PlatformAnswer, type PlatformNumber, platformRefusal } from './platform.ts';
import { qualityEvents } from './quality.ts';

/** The parsed body of a connection. */
export interface Connection {
  readonly phoneNumberId: string;
  readonly wabaId: string;
  readonly accessToken: string;
  readonly meta?: { readonly byo?: boolean | undefined } | undefined;
}
/** The parsed body of a change; null gives a limit back to the platform's own. */
export interface NumberChange {
  readonly accessToken?: string | undefined;
  readonly meta?: { readonly byo?: boolean | null | undefined } | undefined;
  readonly rateLimit?:
    | { readonly perSecond?: number | null | undefined; readonly perDay?: number | null | undefined }
    | undefined;
}

type Owner = Pick<Actor, 'organizationId' | 'env'>;

const absent = () => refuse('NOT_FOUND', 'There is no such number.');

/** The platform of an environment with a token; 502 that names the missing setting where it is not set up. */
export const openPlatform = async (
  { platform }: Pick<NumberPorts, 'platform'>,
  env: Owner['env'],
  accessToken: string,
): Promise<NumberPlatform | Refusal<'DEPENDENCY_FAILED'>> => {
  const opened = await platform(env, accessToken);
  return 'missing' in opened ? refuse('DEPENDENCY_FAILED', opened.missing) : opened;
};

/** A number of the caller's organization. Another's answers 404, exactly as one that never was. */
export const findNumber = async (
  { numbers }: Pick<NumberPorts, 'numbers'>,
  { organizationId }: Pick<Owner, 'organizationId'>,
  id: string,
): Promise<WhatsappNumber | Refusal<'NOT_FOUND'>> => (await numbers.read(organizationId, id)) ?? absent();

/** The platform of a number that was just read. */
export const platformOf = async (
  ports: Pick<NumberPorts, 'numbers' | 'platform'>,
  env: Owner['env'],
  number: WhatsappNumber,
): Promise<NumberPlatform | Refusal<'DEPENDENCY_FAILED' | 'NOT_FOUND'>> => {
  const token = await ports.numbers.accessToken(number);
  return token === undefined ? absent() : openPlatform(ports, env, token);
};

/** Why a connection is not made: what the caller gave, where the platform does not know it, else the platform. */
const connectRefusal = (answer: Exclude<PlatformAnswer<unknown>, { kind: 'done' }>) => {
  const wrong = (path: string, message: string) =>
    refuse('VALIDATION_ERROR', {
      detail: `The platform does not let this number be reached (${answer.detail}).`,
      errors: [{ path, message }],
    });
  if (answer.kind === 'refused' && answer.cause === 'credentials')
    return wrong('accessToken', 'is not taken by the platform for this number');
  if (answer.kind === 'refused' && (answer.cause === 'absent' || answer.cause === 'content'))
    return wrong('phoneNumberId', 'is no number of this wabaId that the access token reaches');
  return platformRefusal(answer);
};

/** What the platform says of a number with this token: whether it may be connected with it. */
const checked = async (platform: NumberPlatform, number: Pick<WhatsappNumber, 'phoneNumberId' | 'wabaId'>) => {
  const answer = await platform.readNumber(number);
  return answer.kind === 'done' ? answer.value : connectRefusal(answer);
};

const takenRefusal = (numberId: string | undefined) =>
  refuse('CONFLICT', {
    detail: numberId ? 'The number is connected already.' : 'The number is connected to another organization.',
    meta: { field: 'phoneNumberId', ...(numberId ? { numberId } : {}) },
  });

/**
 * Connects a number (decisions, part 6): the platform is asked with the given token whether the number is one of the account, its reports
 * are subscribed to, and number and sealed token are kept in one transaction. 409 where the stage has the number already.
 */
export const connectNumber = async (
  ports: NumberPorts,
  { organizationId, env }: Owner,
  { phoneNumberId, wabaId, accessToken, meta }: Connection,
): Promise<WhatsappNumber | Refusal<'CONFLICT' | 'DEPENDENCY_FAILED' | 'RATE_LIMITED' | 'VALIDATION_ERROR'>> => {
  const platform = await openPlatform(ports, env, accessToken);
  if (isRefusal(platform)) return platform;
  const found = await checked(platform, { phoneNumberId, wabaId });
  if (isRefusal(found)) return found;
  const profile = await platform.readProfile({ phoneNumberId });
  if (profile.kind !== 'done') return connectRefusal(profile);
  const subscribed = await platform.subscribe(wabaId);
  if (subscribed.kind !== 'done') return connectRefusal(subscribed);
  const now = ports.clock();
  const number: WhatsappNumber = {
    ...found,
    id: newId('number'),
    organizationId,
    phoneNumberId,
    wabaId,
    byo: meta?.byo,
    profile: profile.value,
    lastPlatformSyncAt: now,
    heard: {},
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
  const outcome = await ports.numbers.create(number, accessToken);
  if (outcome.kind === 'saved') return number;
  if (outcome.kind === 'taken') return takenRefusal(outcome.numberId);
  if (outcome.kind === 'full') return refuse('CONFLICT', 'The organization has as many numbers as it may have.');
  throw new Unavailable('The number could not be stored.');
};

/** What a change makes of a number. */
export interface NumberUpdate {
  readonly fields: Partial<WhatsappNumber>;
  readonly events?: readonly DomainEvent[];
  readonly accessToken?: string | undefined;
}

/**
 * Puts what `make` makes of a number in its place, with the events of the change; others' changes of the same moment are kept beside it.
 * Undefined from `make` leaves the number as it stands.
 */
export const updateNumber = async (
  ports: Pick<NumberPorts, 'clock' | 'numbers'>,
  owner: Pick<Owner, 'organizationId'>,
  id: string,
  make: (before: WhatsappNumber, now: number) => NumberUpdate | Refusal<'VALIDATION_ERROR'> | undefined,
): Promise<WhatsappNumber | Refusal<'NOT_FOUND' | 'VALIDATION_ERROR'>> => {
  return untilStored('The number', async () => {
    const before = await findNumber(ports, owner, id);
    if (isRefusal(before)) return before;
    const now = ports.clock();
    const made = make(before, now);
    if (made === undefined) return before;
    if (isRefusal(made)) return made;
    const { fields, ...also } = made;
    const updatedAt = Math.max(now, before.updatedAt + 1);
    const after = { ...before, ...fields, version: before.version + 1, updatedAt };
    const outcome = await ports.numbers.change(before, after, also);
    return outcome.kind === 'saved' ? after : MOVED;
  });
};

const limitFaults = (number: WhatsappNumber, wanted: NonNullable<NumberChange['rateLimit']>) => {
  const ceiling = ceilingOf(number);
  return (['perSecond', 'perDay'] as const)
    .filter((name) => (wanted[name] ?? 0) > ceiling[name])
    .map((name) => ({
      path: `rateLimit.${name}`,
      message: `must be at most ${ceiling[name]}, which the platform allows this number`,
    }));
};

/** What stays of the own limits; null gives one back. */
const mergedLimit = (
  before: Partial<RateLimit> | undefined,
  wanted: NonNullable<NumberChange['rateLimit']>,
): Partial<RateLimit> => {
  const merged = {
    ...before,
    ...Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)),
  };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
};

/** Changes what an owner may set (JSON Merge Patch). A new token is first shown to the platform. 422 for a rate above what its tier allows. */
export const changeNumber = async (
  ports: NumberPorts,
  owner: Owner,
  id: string,
  { accessToken, meta, rateLimit }: NumberChange,
): Promise<WhatsappNumber | Refusal<'DEPENDENCY_FAILED' | 'NOT_FOUND' | 'RATE_LIMITED' | 'VALIDATION_ERROR'>> => {
  if (accessToken !== undefined) {
    const number = await findNumber(ports, owner, id);
    if (isRefusal(number)) return number;
    const platform = await openPlatform(ports, owner.env, accessToken);
    if (isRefusal(platform)) return platform;
    const found = await checked(platform, number);
    if (isRefusal(found)) return found;
  }
  return updateNumber(ports, owner, id, (before) => {
    const errors = rateLimit ? limitFaults(before, rateLimit) : [];
    if (errors.length > 0)
      return refuse('VALIDATION_ERROR', { detail: 'The rate is above what the platform allows.', errors });
    return {
      fields: {
        ...(meta?.byo === undefined ? {} : { byo: meta.byo ?? undefined }),
        ...(rateLimit ? { ownLimit: mergedLimit(before.ownLimit, rateLimit) } : {}),
      },
      accessToken,
    };
  });
};

/** Reads a number's state and profile from the platform; a quality that moved is an event. */
export const syncNumber = async (
  ports: NumberPorts,
  owner: Owner,
  id: string,
): Promise<WhatsappNumber | Refusal<'DEPENDENCY_FAILED' | 'NOT_FOUND' | 'RATE_LIMITED' | 'VALIDATION_ERROR'>> => {
  const number = await findNumber(ports, owner, id);
  if (isRefusal(number)) return number;
  const platform = await platformOf(ports, owner.env, number);
  if (isRefusal(platform)) return platform;
  const found = await platform.readNumber(number);
  if (found.kind !== 'done') return platformRefusal(found);
  const profile = await platform.readProfile(number);
  if (profile.kind !== 'done') return platformRefusal(profile);
  return updateNumber(ports, owner, id, (before, now) => {
    const fields: PlatformNumber & Partial<WhatsappNumber> = {
      ...found.value,
      profile: profile.value,
      lastPlatformSyncAt: now,
    };
    return { fields, events: qualityEvents(before, found.value.qualityRating, owner.env, now) };
  });
};

/** The fields of a profile that its owner sets; null clears. */
export type ProfileChange = {
  readonly [K in Exclude<keyof NumberProfile, 'profilePictureUrl'>]?: string | null | undefined;
};

/** Sets the profile on the platform, then keeps it as it stands there. */
export const changeProfile = async (
  ports: NumberPorts,
  owner: Owner,
  id: string,
  change: ProfileChange,
): Promise<WhatsappNumber | Refusal<'DEPENDENCY_FAILED' | 'NOT_FOUND' | 'RATE_LIMITED' | 'VALIDATION_ERROR'>> => {
  const number = await findNumber(ports, owner, id);
  if (isRefusal(number)) return number;
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  if (given.length === 0) return number;
  const platform = await platformOf(ports, owner.env, number);
  if (isRefusal(platform)) return platform;
  const written = await platform.writeProfile(
    number.phoneNumberId,
    Object.fromEntries(given.map(([name, value]) => [name, value ?? ''])),
  );
  if (written.kind !== 'done') return platformRefusal(written, 'profile');
  return updateNumber(ports, owner, id, ({ profile }) => ({
    fields: {
      profile: { ...profile, ...Object.fromEntries(given.map(([name, value]) => [name, value ?? undefined])) },
    },
  }));
};

/** Takes a number away, with its token; its phoneNumberId may be connected again, by anyone who holds a token of it. */
export const disconnectNumber = async (
  ports: NumberPorts,
  owner: Owner,
  id: string,
): Promise<undefined | Refusal<'NOT_FOUND'>> => {
  return removeOnce(
    'The number',
    () => findNumber(ports, owner, id),
    (number) => ports.numbers.remove(number),
  );
};
