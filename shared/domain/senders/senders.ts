import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse, Unavailable } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { CONFLICT, removeOnce, retryOnConflict } from '../core/retry-on-conflict.ts';
import { checksFrom, draft, withStatus } from './lifecycle.ts';
import { sandboxIdentities } from './sandbox-identities.ts';
import {
  coveringValues,
  type EmailIdentities,
  type IdentityAnswer,
  type IdentityState,
  type Sender,
  type SenderChannel,
  type SenderPorts,
  senderValue,
} from './sender.ts';

const notFound = () => refuse('NOT_FOUND', 'There is no such sender.');
const noProvider = () =>
  refuse('PRECONDITION_FAILED', {
    detail: 'No e-mail provider is set up: senders cannot be verified.',
    meta: { motivo: 'no_provider' },
  });
const unavailable = (detail: string) => new Unavailable(`The e-mail provider could not be asked: ${detail}`);

type Owner = Pick<Tenant, 'organizationId' | 'env'>;

/** The registry of the environment: the sandbox verifies without asking anybody. */
const identitiesOf = async (
  { emailIdentities }: SenderPorts,
  { env }: Owner,
): Promise<EmailIdentities | Refusal<'PRECONDITION_FAILED'>> =>
  env === 'test' ? sandboxIdentities : ((await emailIdentities()) ?? noProvider());

/**
 * Registers a pending sender with the provider, unless the operator's account has its value already: it is then the operator's to assign. A
 * sender that changes meanwhile is answered as it was; its next check finds out.
 */
const register = async (
  ports: SenderPorts,
  owner: Owner,
  pending: Sender,
): Promise<Sender | Refusal<'CONFLICT' | 'PRECONDITION_FAILED'>> => {
  const identities = await identitiesOf(ports, owner);
  if (isRefusal(identities)) return identities;
  const answer = await identities.create(pending.value);
  if (answer.kind === 'done') return (await applyState(ports, identities, pending, answer.state)) ?? pending;
  if (answer.kind === 'unavailable') throw unavailable(answer.detail);
  return refuse('CONFLICT', 'The service sends from it already: its operator can assign it.');
};

const outcomeRefusal = (outcome: Awaited<ReturnType<SenderPorts['senders']['create']>>) => {
  if (outcome.kind === 'taken')
    return refuse('CONFLICT', {
      detail: outcome.own ? 'The organization has this sender.' : 'Another organization has this sender.',
      meta: { field: 'value' },
    });
  if (outcome.kind === 'limit_reached')
    return refuse('CONFLICT', 'The organization has as many senders as it may have.');
  throw new Unavailable('The sender could not be stored.');
};

export interface NewSender {
  readonly channel: SenderChannel;
  readonly value: string;
}

/**
 * Registers a sender (docs/spec/senders.md#registering-a-sender). An e-mail domain or address is verified by the provider; an SMS or RCS
 * sender stays pending until the operator assigns it.
 */
export const createSender = async (
  ports: SenderPorts,
  owner: Owner,
  { channel, value: given }: NewSender,
): Promise<Sender | Refusal<'CONFLICT' | 'PRECONDITION_FAILED' | 'VALIDATION_ERROR'>> => {
  const value = senderValue(channel, given);
  if (value === undefined)
    return refuse('VALIDATION_ERROR', {
      detail: `The value is no ${channel} sender.`,
      errors: [{ path: 'value', message: WANTED[channel] }],
    });
  const above = coveringValues(channel, value).filter((each) => each !== value);
  const holders = await ports.senders.holders(channel, above);
  if (holders.some((each) => each.status === 'verified' && each.organizationId !== owner.organizationId))
    return outcomeRefusal({ kind: 'taken', own: false });
  const now = ports.clock();
  const pending: Sender = { ...draft(owner, channel, value, now), status: 'pending' };
  // The value is the organization's before the provider hears of it: of two that register it at once, one does.
  const reserved = channel === 'email' ? { ...pending, ...checksFrom(now, now) } : pending;
  const outcome = await ports.senders.create(reserved);
  if (outcome.kind !== 'saved') return outcomeRefusal(outcome);
  if (channel !== 'email') return reserved;
  const registered = await register(ports, owner, reserved).catch(async (fault: unknown) => {
    await ports.senders.remove(reserved);
    throw fault;
  });
  if (isRefusal(registered)) await ports.senders.remove(reserved);
  return registered;
};

const WANTED: Readonly<Record<SenderChannel, string>> = {
  email: 'must be an e-mail address or a domain',
  sms: 'must be a number, a short code or 1 to 11 letters and digits',
  rcs: "must be an agent's id",
};

/**
 * Stores what the provider says of a pending sender; undefined when it changed meanwhile. One that is rejected is removed there first: its
 * value may then be another organization's, whose registration nobody else may touch.
 */
const applyState = async (
  ports: SenderPorts,
  identities: Pick<EmailIdentities, 'remove'> | undefined,
  before: Sender,
  { status, records }: IdentityState,
): Promise<Sender | undefined> => {
  const now = ports.clock();
  const isLate = status === 'pending' && (before.checkUntil ?? 0) <= now;
  const after = { ...withStatus(before, isLate ? 'rejected' : status, now), records: records ?? before.records };
  if (after.status === 'rejected') await identities?.remove(before.value).then(gone);
  if ((await ports.senders.change(before, after)) !== 'saved') return undefined;
  if (after.status === 'pending') ports.enqueueCheck(after);
  return after;
};

/** Throws while the provider cannot say that an identity is gone. */
const gone = (answer: IdentityAnswer): void => {
  if (answer.kind === 'unavailable') throw unavailable(answer.detail);
};

/** A sender of the caller's organization. */
export const findSender = async (
  { senders }: Pick<SenderPorts, 'senders'>,
  { organizationId }: Pick<Owner, 'organizationId'>,
  id: Id<'sender'>,
): Promise<Sender | Refusal<'NOT_FOUND'>> => (await senders.read(organizationId, id)) ?? notFound();

const stateOf = (answer: IdentityAnswer): IdentityState => {
  if (answer.kind === 'unavailable') throw unavailable(answer.detail);
  return answer.kind === 'done' ? answer.state : { status: 'rejected' };
};

/** Registers a rejected sender anew, which mails the link of an address again. 409 where another organization has its value by now. */
const registerAgain = async (ports: SenderPorts, owner: Owner, rejected: Sender) => {
  const now = ports.clock();
  const pending = withStatus({ ...rejected, ...checksFrom(now, now) }, 'pending', now);
  const outcome = await ports.senders.change(rejected, pending);
  if (outcome === 'taken') return outcomeRefusal({ kind: 'taken', own: false });
  if (outcome === 'conflict') return CONFLICT;
  const registered = await register(ports, owner, pending);
  if (isRefusal(registered)) await ports.senders.change(pending, withStatus(pending, 'rejected', now));
  return registered;
};

/** Asks the provider again about an e-mail sender that is not verified. An SMS or RCS sender is answered as it is. */
export const verifySender = async (
  ports: SenderPorts,
  owner: Owner,
  id: Id<'sender'>,
): Promise<Sender | Refusal<'CONFLICT' | 'NOT_FOUND' | 'PRECONDITION_FAILED'>> =>
  retryOnConflict('The sender', async () => {
    const found = await findSender(ports, owner, id);
    if (isRefusal(found) || found.status === 'verified' || found.channel !== 'email') return found;
    if (found.status === 'rejected') return registerAgain(ports, owner, found);
    const identities = await identitiesOf(ports, owner);
    if (isRefusal(identities)) return identities;
    return (await applyState(ports, identities, found, stateOf(await identities.read(found.value)))) ?? CONFLICT;
  });

/** Checks a pending e-mail sender with the provider when its check is due. Safe under repeats. */
export const checkSender = async (ports: SenderPorts, owner: Owner, id: Id<'sender'>): Promise<void> => {
  const found = await ports.senders.read(owner.organizationId, id);
  if (found?.status !== 'pending' || found.channel !== 'email') return;
  const identities = await identitiesOf(ports, owner);
  // Where no provider is set up any more, it is waited for as for a record that is not set.
  if (isRefusal(identities)) await applyState(ports, undefined, found, { status: 'pending' });
  else await applyState(ports, identities, found, stateOf(await identities.read(found.value)));
};

/** Makes a sender the channel's default, or no longer. A domain cannot be one: it is no address. */
export const changeSender = async (
  { senders }: Pick<SenderPorts, 'senders'>,
  owner: Owner,
  id: Id<'sender'>,
  { isDefault }: { readonly isDefault: boolean },
): Promise<Sender | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> =>
  retryOnConflict('The sender', async () => {
    const before = await findSender({ senders }, owner, id);
    if (isRefusal(before) || before.isDefault === isDefault) return before;
    if (isDefault && before.status !== 'verified')
      return refuse('CONFLICT', 'Only a verified sender can be the default.');
    if (isDefault && before.channel === 'email' && !before.value.includes('@'))
      return refuse('VALIDATION_ERROR', {
        detail: 'A domain cannot be the default.',
        errors: [{ path: 'isDefault', message: 'needs an address, which a domain is not' }],
      });
    const saved = await senders.setDefault(before, isDefault);
    return saved ? { ...before, isDefault } : CONFLICT;
  });

/**
 * Deletes a sender, at the provider first. A value that was verified stays reserved for the organization, so that nobody else is verified by
 * its DNS records; the operator can release it.
 */
export const deleteSender = async (
  ports: SenderPorts,
  owner: Owner,
  id: Id<'sender'>,
): Promise<undefined | Refusal<'NOT_FOUND' | 'PRECONDITION_FAILED'>> =>
  removeOnce(
    'The sender',
    () => findSender(ports, owner, id),
    async (sender): Promise<boolean | Refusal<'PRECONDITION_FAILED'>> => {
      // What was rejected is no longer this organization's there.
      if (sender.channel === 'email' && !sender.assigned && sender.status !== 'rejected') {
        const identities = await identitiesOf(ports, owner);
        if (isRefusal(identities)) return identities;
        gone(await identities.remove(sender.value));
      }
      return ports.senders.remove(sender);
    },
  );
