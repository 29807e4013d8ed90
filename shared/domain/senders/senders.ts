import { type AuditAction, type AuditDetails, auditEntry, type Caller } from '../audit/entry.ts';
import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse, Unavailable } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { refuseField } from '../core/refuse-field.ts';
import { CONFLICT, removeOnce, retryOnConflict } from '../core/retry-on-conflict.ts';
import { checksFrom, draft, withStatus } from './lifecycle.ts';
import { provedState, withOwnership } from './ownership.ts';
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
type Ended = 'changed' | 'created' | 'deleted' | 'verified';

/** The audit entry of a caller's action on a sender. */
const entryOf = (caller: Caller, { id, channel }: Sender, verb: Ended, at: number, details: AuditDetails = {}) =>
  auditEntry(caller, {
    action: `sender.${verb}` satisfies AuditAction,
    object: id,
    at,
    details: { channel, ...details },
  });
const STATUS = { fields: ['status'] };

/** The registry of the environment: the sandbox verifies without a provider. */
const identitiesOf = async (
  { emailIdentities }: SenderPorts,
  { env }: Owner,
): Promise<EmailIdentities | Refusal<'PRECONDITION_FAILED'>> =>
  env === 'test' ? sandboxIdentities : ((await emailIdentities()) ?? noProvider());

/**
 * Registers a pending sender with the provider, unless the operator's account already has its value: then the operator must assign it. A
 * sender that changes meanwhile is returned as it was; its next check corrects it.
 */
const register = async (
  ports: SenderPorts,
  caller: Caller,
  pending: Sender,
): Promise<Sender | Refusal<'CONFLICT' | 'PRECONDITION_FAILED'>> => {
  const identities = await identitiesOf(ports, caller);
  if (isRefusal(identities)) return identities;
  const answer = await identities.create(pending.value);
  if (answer.kind === 'done') {
    const applied = await applyState(ports, identities, pending, answer.state, caller);
    return typeof applied === 'string' ? pending : applied;
  }
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
    return refuse('CONFLICT', 'The organization has reached its maximum of senders.');
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
  caller: Caller,
  { channel, value: given }: NewSender,
): Promise<Sender | Refusal<'CONFLICT' | 'PRECONDITION_FAILED' | 'VALIDATION_ERROR'>> => {
  const value = senderValue(channel, given);
  if (value === undefined) return refuseField(`The value is no ${channel} sender.`, 'value', WANTED[channel]);
  const above = coveringValues(channel, value).filter((each) => each !== value);
  const holders = await ports.senders.holders(channel, above);
  const isCovered = holders.some((each) => each.status === 'verified' && each.organizationId !== caller.organizationId);
  if (isCovered || (await ports.senders.hasForeignBelow(caller.organizationId, channel, value)))
    return outcomeRefusal({ kind: 'taken', own: false });
  const now = ports.clock();
  const pending: Sender = { ...draft(caller, channel, value, now), status: 'pending' };
  // The organization reserves the value before the provider is called, so that of two concurrent registrations only one succeeds.
  const reserved = channel === 'email' ? { ...pending, ...checksFrom(now, now) } : pending;
  const outcome = await ports.senders.create(reserved, entryOf(caller, reserved, 'created', now));
  if (outcome.kind !== 'saved') return outcomeRefusal(outcome);
  if (channel !== 'email') return reserved;
  const takeBack = () => ports.senders.remove(reserved, entryOf(caller, reserved, 'deleted', ports.clock()));
  const registered = await register(ports, caller, reserved).catch(async (fault: unknown) => {
    await takeBack();
    throw fault;
  });
  if (isRefusal(registered)) await takeBack();
  return registered;
};

const WANTED: Readonly<Record<SenderChannel, string>> = {
  email: 'must be an e-mail address or a domain',
  sms: 'must be a number, a short code or 1 to 11 letters and digits',
  rcs: "must be an agent's id",
};

/**
 * Stores the provider's state of a pending sender. `conflict` if it changed meanwhile; `taken` if another organization has verified it, or
 * a value that covers it or that it covers: it stays pending. A rejected one is first removed at the provider, since its value may then
 * belong to another organization. Without a caller, the check was automatic.
 */
const applyState = async (
  ports: SenderPorts,
  identities: Pick<EmailIdentities, 'remove'> | undefined,
  before: Sender,
  { status, records }: IdentityState,
  caller?: Caller,
): Promise<Sender | 'conflict' | 'taken'> => {
  const now = ports.clock();
  const isLate = status === 'pending' && (before.checkUntil ?? 0) <= now;
  const after = { ...withStatus(before, isLate ? 'rejected' : status, now), records: withOwnership(before, records) };
  if (after.status === 'rejected') await identities?.remove(before.value).then(gone);
  const isNews = caller !== undefined && after.status === 'verified';
  const entry = isNews ? entryOf(caller, after, 'verified', now) : undefined;
  const changed = await ports.senders.change(before, after, entry);
  if (changed !== 'saved') return changed;
  if (after.status === 'pending') ports.enqueueCheck(after);
  return after;
};

/** Throws unless the provider confirms that an identity is gone. */
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

const readState = async (identities: EmailIdentities, sender: Sender): Promise<IdentityState> =>
  provedState(identities, sender, stateOf(await identities.read(sender.value)));

/** Registers a rejected sender again, which mails the link of an address again. 409 if another organization has its value by now. */
const registerAgain = async (ports: SenderPorts, caller: Caller, rejected: Sender) => {
  const now = ports.clock();
  const pending = withStatus({ ...rejected, ...checksFrom(now, now) }, 'pending', now);
  const entry = () => entryOf(caller, pending, 'changed', now, STATUS);
  const outcome = await ports.senders.change(rejected, pending, entry());
  if (outcome === 'taken') return outcomeRefusal({ kind: 'taken', own: false });
  if (outcome === 'conflict') return CONFLICT;
  const registered = await register(ports, caller, pending);
  if (isRefusal(registered)) await ports.senders.change(pending, withStatus(pending, 'rejected', now), entry());
  return registered;
};

/** Queries the provider about an unverified e-mail sender. An SMS or RCS sender is returned as it is. */
export const verifySender = async (
  ports: SenderPorts,
  caller: Caller,
  id: Id<'sender'>,
): Promise<Sender | Refusal<'CONFLICT' | 'NOT_FOUND' | 'PRECONDITION_FAILED'>> =>
  retryOnConflict('The sender', async () => {
    const found = await findSender(ports, caller, id);
    if (isRefusal(found) || found.status === 'verified' || found.channel !== 'email') return found;
    if (found.status === 'rejected') return registerAgain(ports, caller, found);
    const identities = await identitiesOf(ports, caller);
    if (isRefusal(identities)) return identities;
    const state = await readState(identities, found);
    const applied = await applyState(ports, identities, found, state, caller);
    if (applied === 'taken') return outcomeRefusal({ kind: 'taken', own: false });
    return applied === 'conflict' ? CONFLICT : applied;
  });

/** Checks a pending e-mail sender with the provider when its check is due. Idempotent. */
export const checkSender = async (ports: SenderPorts, owner: Owner, id: Id<'sender'>): Promise<void> => {
  const found = await ports.senders.read(owner.organizationId, id);
  if (found?.status !== 'pending' || found.channel !== 'email') return;
  const identities = await identitiesOf(ports, owner);
  // If no provider is set up any more, the sender stays pending, as for a missing DNS record.
  if (isRefusal(identities)) await applyState(ports, undefined, found, { status: 'pending' });
  else await applyState(ports, identities, found, await readState(identities, found));
};

/** Sets or clears a sender as the channel's default. A domain can't be one: it is not an address. */
export const changeSender = async (
  { clock, senders }: Pick<SenderPorts, 'clock' | 'senders'>,
  caller: Caller,
  id: Id<'sender'>,
  { isDefault }: { readonly isDefault: boolean },
): Promise<Sender | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> =>
  retryOnConflict('The sender', async () => {
    const before = await findSender({ senders }, caller, id);
    if (isRefusal(before) || before.isDefault === isDefault) return before;
    if (isDefault && before.status !== 'verified')
      return refuse('CONFLICT', 'Only a verified sender can be the default.');
    if (isDefault && before.channel === 'email' && !before.value.includes('@'))
      return refuseField('A domain cannot be the default.', 'isDefault', 'needs an address, which a domain is not');
    const entry = entryOf(caller, before, 'changed', clock(), { fields: ['isDefault'] });
    const saved = await senders.setDefault(before, isDefault, entry);
    return saved ? { ...before, isDefault } : CONFLICT;
  });

/**
 * Deletes a sender, first at the provider. A verified value stays reserved for the organization, so that its DNS records verify no other
 * organization; the operator can release it.
 */
export const deleteSender = async (
  ports: SenderPorts,
  caller: Caller,
  id: Id<'sender'>,
): Promise<undefined | Refusal<'NOT_FOUND' | 'PRECONDITION_FAILED'>> =>
  removeOnce(
    'The sender',
    () => findSender(ports, caller, id),
    async (sender): Promise<boolean | Refusal<'PRECONDITION_FAILED'>> => {
      // A rejected sender no longer belongs to this organization at the provider.
      if (sender.channel === 'email' && !sender.assigned && sender.status !== 'rejected') {
        const identities = await identitiesOf(ports, caller);
        if (isRefusal(identities)) return identities;
        gone(await identities.remove(sender.value));
      }
      return ports.senders.remove(sender, entryOf(caller, sender, 'deleted', ports.clock()));
    },
  );
