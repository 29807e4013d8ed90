import { type AuditEntry, auditEntry, type Caller, fieldNames } from '../../../audit/entry.ts';
import type { Tenant } from '../../../core/actor.ts';
import { isRefusal, type Refusal, refuse, Unavailable } from '../../../core/errors.ts';
import { type Id, newId } from '../../../core/ids.ts';
import { definedFields, type Patch } from '../../../core/patch.ts';
import { refuseField } from '../../../core/refuse-field.ts';
import { CONFLICT, removeOnce, retryOnConflict } from '../../../core/retry-on-conflict.ts';
import type { DomainEvent } from '../../../events/event.ts';
import { metaLimitOf } from './limits.ts';
import { type MetaAnswer, type MetaApi, type MetaNumber, metaRefusal } from './meta-port.ts';
import type { NumberProfile, RateLimit, WhatsappNumber } from './number.ts';
import type { NumberPorts } from './ports.ts';
import { qualityEvents } from './quality.ts';

/** The parsed body of a connection. */
export interface Connection {
  readonly phoneNumberId: string;
  readonly wabaId: string;
  readonly accessToken: string;
  readonly meta?: { readonly byo?: boolean | undefined } | undefined;
}
/** The parsed body of a change; null resets a limit to Meta's. */
export interface NumberChange {
  readonly accessToken?: string | undefined;
  readonly meta?: Patch<{ byo: boolean }, 'byo'> | undefined;
  readonly rateLimit?: Patch<RateLimit, keyof RateLimit> | undefined;
}

type Verb = 'changed' | 'connected' | 'disconnected';
/** The audit entry of a caller's action on a number: which fields, never a token or a value. */
const entryOf = (caller: Caller, id: Id<'number'>, verb: Verb, at: number, fields?: readonly string[]) =>
  auditEntry(caller, {
    action: `number.${verb}`,
    object: id,
    at,
    details: fields ? { fields: [...fields] } : {},
  });

const notFound = () => refuse('NOT_FOUND', 'There is no such number.');

/** Opens Meta's API with an access token; 502 naming the missing setting if it is not configured. */
const openMetaApi = async (
  { metaApi }: Pick<NumberPorts, 'metaApi'>,
  env: Tenant['env'],
  accessToken: string,
): Promise<MetaApi | Refusal<'DEPENDENCY_FAILED'>> => {
  const opened = await metaApi(env, accessToken);
  return 'missing' in opened ? refuse('DEPENDENCY_FAILED', opened.missing) : opened;
};

/** Reads a number of the caller's organization; 404 for another organization's, as if it didn't exist. */
export const findNumber = async (
  { numbers }: Pick<NumberPorts, 'numbers'>,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  id: Id<'number'>,
): Promise<WhatsappNumber | Refusal<'NOT_FOUND'>> => (await numbers.read(organizationId, id)) ?? notFound();

/** Opens Meta's API for a number that was just read. */
export const metaApiOf = async (
  ports: Pick<NumberPorts, 'numbers' | 'metaApi'>,
  env: Tenant['env'],
  number: WhatsappNumber,
): Promise<MetaApi | Refusal<'DEPENDENCY_FAILED' | 'NOT_FOUND'>> => {
  const token = await ports.numbers.accessToken(number);
  return token === undefined ? notFound() : openMetaApi(ports, env, token);
};

/** The refusal of a connection: 422 if Meta does not accept the given ids or token, else as any failed call. */
const connectRefusal = (answer: Exclude<MetaAnswer<unknown>, { kind: 'done' }>) => {
  const invalidField = (path: string, message: string) =>
    refuseField(`Meta does not allow access to this number (${answer.detail}).`, path, message);
  if (answer.kind === 'refused' && answer.cause === 'credentials')
    return invalidField('accessToken', 'is not accepted by Meta for this number');
  if (answer.kind === 'refused' && (answer.cause === 'absent' || answer.cause === 'content'))
    return invalidField('phoneNumberId', 'is not a number of this wabaId that the access token can access');
  return metaRefusal(answer);
};

/** Reads a number from Meta, which checks that this token can access it. */
const verifyNumber = async (metaApi: MetaApi, number: Pick<WhatsappNumber, 'phoneNumberId' | 'wabaId'>) => {
  const answer = await metaApi.readNumber(number);
  return answer.kind === 'done' ? answer.value : connectRefusal(answer);
};

const takenRefusal = (numberId: Id<'number'> | undefined) =>
  refuse('CONFLICT', {
    detail: numberId ? 'The number is connected already.' : 'The number is connected to another organization.',
    meta: { field: 'phoneNumberId', ...(numberId ? { numberId } : {}) },
  });

/**
 * Connects a number: checks with the given token that it belongs to the account, subscribes to its webhooks, and stores number and sealed
 * token in one transaction. 409 if the number is already connected (docs/spec/whatsapp-numbers.md#connecting-a-number).
 */
export const connectNumber = async (
  ports: NumberPorts,
  caller: Caller,
  { phoneNumberId, wabaId, accessToken, meta }: Connection,
): Promise<WhatsappNumber | Refusal<'CONFLICT' | 'DEPENDENCY_FAILED' | 'RATE_LIMITED' | 'VALIDATION_ERROR'>> => {
  const { organizationId, env } = caller;
  const metaApi = await openMetaApi(ports, env, accessToken);
  if (isRefusal(metaApi)) return metaApi;
  const found = await verifyNumber(metaApi, { phoneNumberId, wabaId });
  if (isRefusal(found)) return found;
  const profile = await metaApi.readProfile({ phoneNumberId });
  if (profile.kind !== 'done') return connectRefusal(profile);
  const subscribed = await metaApi.subscribe(wabaId);
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
  const outcome = await ports.numbers.create(number, accessToken, entryOf(caller, number.id, 'connected', now));
  if (outcome.kind === 'saved') return number;
  if (outcome.kind === 'taken') return takenRefusal(outcome.numberId);
  if (outcome.kind === 'limit_reached')
    return refuse('CONFLICT', 'The organization has reached its maximum of numbers.');
  throw new Unavailable('The number could not be stored.');
};

/** A change of a number. */
export interface NumberUpdate {
  readonly fields: Partial<WhatsappNumber>;
  readonly events?: readonly DomainEvent[];
  readonly accessToken?: string | undefined;
  /** The caller's audit entry; absent when Meta reported it. */
  readonly entry?: AuditEntry;
}

/** Read-modify-write of a number with its events, repeated on conflict. `changeOf` returns undefined to leave it unchanged. */
export const updateNumber = async (
  ports: Pick<NumberPorts, 'clock' | 'numbers'>,
  owner: Pick<Tenant, 'organizationId'>,
  id: Id<'number'>,
  changeOf: (before: WhatsappNumber, now: number) => NumberUpdate | Refusal<'VALIDATION_ERROR'> | undefined,
): Promise<WhatsappNumber | Refusal<'NOT_FOUND' | 'VALIDATION_ERROR'>> =>
  retryOnConflict('The number', async () => {
    const before = await findNumber(ports, owner, id);
    if (isRefusal(before)) return before;
    const now = ports.clock();
    const change = changeOf(before, now);
    if (change === undefined) return before;
    if (isRefusal(change)) return change;
    const { fields, ...also } = change;
    const updatedAt = Math.max(now, before.updatedAt + 1);
    const after = { ...before, ...fields, version: before.version + 1, updatedAt };
    const outcome = await ports.numbers.change(before, after, also);
    return outcome.kind === 'saved' ? after : CONFLICT;
  });

const limitErrors = (number: WhatsappNumber, requested: NonNullable<NumberChange['rateLimit']>) => {
  const ceiling = metaLimitOf(number);
  return (['perSecond', 'perDay'] as const)
    .filter((name) => (requested[name] ?? 0) > ceiling[name])
    .map((name) => ({
      path: `rateLimit.${name}`,
      message: `must be at most ${ceiling[name]}, Meta's limit for this number`,
    }));
};

/** Merges own limits; null resets one. */
const mergedLimit = (
  before: Partial<RateLimit> | undefined,
  requested: NonNullable<NumberChange['rateLimit']>,
): Partial<RateLimit> => {
  const merged = { ...before, ...definedFields(requested) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
};

/**
 * Changes what an owner may set (JSON Merge Patch). A new token is first checked with Meta. 422 for a rate above Meta's limit
 * (docs/spec/whatsapp-numbers.md#changing-a-number).
 */
export const changeNumber = async (
  ports: NumberPorts,
  caller: Caller,
  id: Id<'number'>,
  { accessToken, meta, rateLimit }: NumberChange,
): Promise<WhatsappNumber | Refusal<'DEPENDENCY_FAILED' | 'NOT_FOUND' | 'RATE_LIMITED' | 'VALIDATION_ERROR'>> => {
  if (accessToken !== undefined) {
    const number = await findNumber(ports, caller, id);
    if (isRefusal(number)) return number;
    const metaApi = await openMetaApi(ports, caller.env, accessToken);
    if (isRefusal(metaApi)) return metaApi;
    const found = await verifyNumber(metaApi, number);
    if (isRefusal(found)) return found;
  }
  return updateNumber(ports, caller, id, (before, now) => {
    const errors = rateLimit ? limitErrors(before, rateLimit) : [];
    if (errors.length > 0) return refuse('VALIDATION_ERROR', { detail: "The rate is above Meta's limit.", errors });
    return {
      fields: {
        ...(meta?.byo === undefined ? {} : { byo: meta.byo ?? undefined }),
        ...(rateLimit ? { ownLimit: mergedLimit(before.ownLimit, rateLimit) } : {}),
      },
      accessToken,
      entry: entryOf(caller, id, 'changed', now, fieldNames({ accessToken, meta, rateLimit })),
    };
  });
};

/** Refreshes state and profile from Meta; a changed quality raises an event. */
export const syncNumber = async (
  ports: NumberPorts,
  owner: Tenant,
  id: Id<'number'>,
): Promise<WhatsappNumber | Refusal<'DEPENDENCY_FAILED' | 'NOT_FOUND' | 'RATE_LIMITED' | 'VALIDATION_ERROR'>> => {
  const number = await findNumber(ports, owner, id);
  if (isRefusal(number)) return number;
  const metaApi = await metaApiOf(ports, owner.env, number);
  if (isRefusal(metaApi)) return metaApi;
  const found = await metaApi.readNumber(number);
  if (found.kind !== 'done') return metaRefusal(found);
  const profile = await metaApi.readProfile(number);
  if (profile.kind !== 'done') return metaRefusal(profile);
  return updateNumber(ports, owner, id, (before, now) => {
    const fields: MetaNumber & Partial<WhatsappNumber> = {
      ...found.value,
      profile: profile.value,
      lastPlatformSyncAt: now,
    };
    return { fields, events: qualityEvents(before, found.value.qualityRating, owner.env, now) };
  });
};

/** The editable fields of a profile; null clears one. */
export type ProfileChange = Patch<
  Omit<NumberProfile, 'profilePictureUrl'>,
  Exclude<keyof NumberProfile, 'profilePictureUrl'>
>;

/** Updates the profile at Meta, then stores it. */
export const changeProfile = async (
  ports: NumberPorts,
  caller: Caller,
  id: Id<'number'>,
  change: ProfileChange,
): Promise<WhatsappNumber | Refusal<'DEPENDENCY_FAILED' | 'NOT_FOUND' | 'RATE_LIMITED' | 'VALIDATION_ERROR'>> => {
  const number = await findNumber(ports, caller, id);
  if (isRefusal(number)) return number;
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  if (given.length === 0) return number;
  const metaApi = await metaApiOf(ports, caller.env, number);
  if (isRefusal(metaApi)) return metaApi;
  const written = await metaApi.writeProfile(
    number.phoneNumberId,
    Object.fromEntries(given.map(([name, value]) => [name, value ?? ''])),
  );
  if (written.kind !== 'done') return metaRefusal(written, 'profile');
  return updateNumber(ports, caller, id, ({ profile }, now) => ({
    fields: {
      profile: { ...profile, ...Object.fromEntries(given.map(([name, value]) => [name, value ?? undefined])) },
    },
    entry: entryOf(
      caller,
      id,
      'changed',
      now,
      given.map(([name]) => `profile.${name}`),
    ),
  }));
};

/** Disconnects a number and deletes its token. Its phoneNumberId can then be connected by anyone with a token for it. */
export const disconnectNumber = async (
  ports: NumberPorts,
  caller: Caller,
  id: Id<'number'>,
): Promise<undefined | Refusal<'NOT_FOUND'>> =>
  removeOnce(
    'The number',
    () => findNumber(ports, caller, id),
    (number) => ports.numbers.remove(number, entryOf(caller, id, 'disconnected', ports.clock())),
  );
