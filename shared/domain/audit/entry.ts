import * as z from 'zod';
import type { Actor, Tenant } from '../core/actor.ts';
import { idSchema } from '../core/id-schema.ts';
import { type Id, newId } from '../core/ids.ts';

/** Every act that the audit log tells of (docs/spec/audit.md#acts). */
export const AUDIT_ACTIONS = [
  'account.activated',
  'account.changed',
  'account.created',
  'account.deleted',
  'account.invited',
  'account.suspended',
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
  'suppression.lifted',
  'wallet.changed',
  'wallet.credited',
  'webhook.changed',
  'webhook.created',
  'webhook.deleted',
  'webhook.replayed',
  'webhook.secret_rotated',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const AUDIT_ACTOR_KINDS = ['key', 'account', 'operator'] as const;

/** Who acted: an API key, a person in a session, or the operator of the service, who has no id of their own. */
export interface AuditActor {
  readonly kind: (typeof AUDIT_ACTOR_KINDS)[number];
  readonly id: Id<'account'> | Id<'apiKey'> | 'operator';
}

/**
 * What an entry says besides who, what and where. The list is closed: none of these can hold personal data or a secret. Names, counts and
 * words of the service; never a value that somebody sent, except coins.
 */
export const auditDetails = z.strictObject({
  /** The names of the fields that were set, never their values. */
  fields: z.array(z.string()).optional(),
  channel: z.string().optional(),
  route: z.string().optional(),
  /** The providers of a route, in their order. */
  providers: z.array(z.string()).optional(),
  coins: z.int().optional(),
  /** How many objects were concerned. */
  count: z.int().optional(),
  /** What was erased with a person: how many of each. */
  erased: z.strictObject({ messages: z.int(), received: z.int(), turns: z.int(), devices: z.int() }).optional(),
  /** What a deleted company leaves: how many contacts and cards named it. */
  unlinked: z.strictObject({ contacts: z.int(), cards: z.int() }).optional(),
  /** The contact that was merged into the object, and is gone. */
  mergedContactId: idSchema('contact').optional(),
  /** From when on it applies; ISO 8601, UTC. */
  effectiveFrom: z.string().optional(),
  overlapHours: z.int().optional(),
  /** Of a revocation: whether the keys below were spared. */
  onlyThis: z.boolean().optional(),
  /** Of a session that ended: whether because a cookie was presented that had been replaced, so that two had it. */
  cookieReused: z.boolean().optional(),
});
export type AuditDetails = z.output<typeof auditDetails>;

/** The owner of entries about the stage itself, such as its prices: no organization's. */
export const STAGE_LOG = 'STAGE';
export type AuditOwner = Id<'organization'> | typeof STAGE_LOG;

/** An entry of the audit log. Never changed, and deleted only by its age. */
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

/** A caller whose acts are entered: an actor, whatever its scopes. */
export type Caller = Tenant & Pick<Actor, 'accountId' | 'credentialId' | 'request'>;

/** What was done, and when (ms). */
export interface Act {
  readonly action: AuditAction;
  readonly object: string;
  readonly at: number;
  readonly details?: AuditDetails;
}

/** Who a caller is to those who read what was done. */
export const actorOf = ({ accountId, credentialId }: Caller): AuditActor =>
  // A session without an account does not exist: the authorizer refuses it.
  accountId === undefined ? { kind: 'key', id: credentialId as Id<'apiKey'> } : { kind: 'account', id: accountId };

/** The entry of an act of a caller, in the log of the caller's organization. Written in the transaction of the act. */
export const auditEntry = (caller: Caller, { details = {}, ...act }: Act): AuditEntry => ({
  id: newId('auditEntry'),
  owner: caller.organizationId,
  actor: actorOf(caller),
  ...act,
  ip: caller.request?.ip,
  requestId: caller.request?.id,
  details,
});

/** The entry of an act of the operator, in the log of the organization that it concerns or of the stage. */
export const operatorEntry = (owner: AuditOwner, { details = {}, ...act }: Act): AuditEntry => ({
  id: newId('auditEntry'),
  owner,
  actor: { kind: 'operator', id: 'operator' },
  ...act,
  details,
});

/** The names of the fields that a change sets: what an entry says of it, in place of the values. */
export const fieldNames = (change: object): string[] =>
  Object.entries(change)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
    .sort();
