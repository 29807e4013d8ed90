import * as z from 'zod';
import type { Actor, Tenant } from '../core/actor.ts';
import { idSchema } from '../core/id-schema.ts';
import { type Id, newId } from '../core/ids.ts';

/** Every action recorded in the audit log (docs/spec/audit.md#acts). */
export const AUDIT_ACTIONS = [
  'account.activated',
  'account.changed',
  'account.created',
  'account.deleted',
  'account.invited',
  'account.suspended',
  'breaker.probed',
  'breaker.reset',
  'campaign.cancelled',
  'campaign.changed',
  'campaign.created',
  'campaign.deleted',
  'campaign.paused',
  'campaign.resumed',
  'campaign.started',
  'company.deleted',
  'company_attributes.changed',
  'contact.deleted',
  'contact.documents_revealed',
  'contact.erased',
  'contact.exported',
  'contact.merged',
  'dead_letters.peeked',
  'dead_letters.redriven',
  'destinations.changed',
  'journey.activated',
  'journey.archived',
  'journey.changed',
  'journey.created',
  'journey.deleted',
  'journey.paused',
  'journey.secret_rotated',
  'key.changed',
  'key.created',
  'key.revoked',
  'key.rotated',
  'number.changed',
  'number.connected',
  'number.disconnected',
  'organization.changed',
  'organization.created',
  'organization.viewed',
  'person.looked_up',
  'prices.set',
  'provider.removed',
  'provider.set',
  'push_app.changed',
  'push_app.created',
  'push_app.deleted',
  'quiet_hours.changed',
  'routes.set',
  'sender.assigned',
  'sender.changed',
  'sender.created',
  'sender.deleted',
  'sender.rejected',
  'sender.released',
  'sender.verified',
  'session.created',
  'session.ended',
  'smpp_account.changed',
  'smpp_account.created',
  'smpp_account.deleted',
  'smpp_account.password_rotated',
  'stage.viewed',
  'suppression.lifted',
  'wallet.changed',
  'wallet.credited',
  'webhook.changed',
  'webhook.created',
  'webhook.deleted',
  'webhook.replayed',
  'webhook.secret_rotated',
  'work.retried',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const AUDIT_ACTOR_KINDS = ['key', 'account', 'operator'] as const;

/** Who acted: an API key, a person in a session, or an operator of the service: in a session, or without an id at the command line. */
export interface AuditActor {
  readonly kind: (typeof AUDIT_ACTOR_KINDS)[number];
  readonly id: Id<'account'> | Id<'apiKey'> | 'operator';
}

/**
 * The details of an entry. The list is closed: none of them can hold personal data or a secret. Names, counts and fixed terms; never a
 * value that a caller sent, except coins.
 */
export const auditDetails = z.strictObject({
  /** The names of the fields that were set, never their values. */
  fields: z.array(z.string()).optional(),
  channel: z.string().optional(),
  route: z.string().optional(),
  /** The providers of a route, in order. */
  providers: z.array(z.string()).optional(),
  coins: z.int().optional(),
  /** The number of affected objects. */
  count: z.int().optional(),
  /** Erased with a person: the number of each. */
  erased: z.strictObject({ messages: z.int(), received: z.int(), turns: z.int(), devices: z.int() }).optional(),
  /** Links removed with a deleted company: numbers of contacts and cards. */
  unlinked: z.strictObject({ contacts: z.int(), cards: z.int() }).optional(),
  /** The contact that was merged into the object and deleted. */
  mergedContactId: idSchema('contact').optional(),
  /** When it takes effect; ISO 8601, UTC. */
  effectiveFrom: z.string().optional(),
  overlapHours: z.int().optional(),
  /** For a revocation: whether the keys below were kept. */
  onlyThis: z.boolean().optional(),
  /** For an ended session: whether it ended because a replaced cookie was presented, which means that it leaked. */
  cookieReused: z.boolean().optional(),
});
export type AuditDetails = z.output<typeof auditDetails>;

/** The owner of entries about the stage itself, such as its prices; not an organization. */
export const STAGE_LOG = 'STAGE';
export type AuditOwner = Id<'organization'> | typeof STAGE_LOG;

/** An entry of the audit log. Immutable; deleted only when it expires. */
export interface AuditEntry {
  readonly id: Id<'auditEntry'>;
  readonly owner: AuditOwner;
  /** ms. */
  readonly at: number;
  readonly actor: AuditActor;
  readonly action: AuditAction;
  /** The id of the object that was acted on; a path such as `provider/sms/twilio` for what has no id. */
  readonly object: string;
  /** The address that the request came from; absent for the operator. */
  readonly ip?: string | undefined;
  readonly requestId?: string | undefined;
  readonly details: AuditDetails;
}

/** A caller whose actions are recorded: an actor, whatever its scopes. */
export type Caller = Tenant & Pick<Actor, 'accountId' | 'credentialId' | 'request'>;

/** An action, and its time (ms). */
export interface Act {
  readonly action: AuditAction;
  readonly object: string;
  readonly at: number;
  readonly details?: AuditDetails;
}

/** The caller as shown in the audit log. */
export const actorOf = ({ accountId, credentialId }: Caller): AuditActor =>
  // Every session has an account: the authorizer rejects others.
  accountId === undefined ? { kind: 'key', id: credentialId as Id<'apiKey'> } : { kind: 'account', id: accountId };

/** Creates the entry of a caller's action, in the log of the caller's organization. Written in the transaction of the action. */
export const auditEntry = (caller: Caller, { details = {}, ...act }: Act): AuditEntry => ({
  id: newId('auditEntry'),
  owner: caller.organizationId,
  actor: actorOf(caller),
  ...act,
  ip: caller.request?.ip,
  requestId: caller.request?.id,
  details,
});

/** Creates the entry of an action of the operator, in the log of the affected organization or of the stage. */
export const operatorEntry = (owner: AuditOwner, { details = {}, ...act }: Act): AuditEntry => ({
  id: newId('auditEntry'),
  owner,
  actor: { kind: 'operator', id: 'operator' },
  ...act,
  details,
});

/** The entry of an operator's act in a session, in the stage's log: no organization learns which operator it was. */
export const operatorSessionEntry = (caller: Caller, act: Act): AuditEntry => {
  const entry = auditEntry(caller, act);
  return { ...entry, owner: STAGE_LOG, actor: { kind: 'operator', id: entry.actor.id } };
};

/** The names of the fields that a change sets; entries contain these instead of the values. */
export const fieldNames = (change: object): string[] =>
  Object.entries(change)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
    .sort();
