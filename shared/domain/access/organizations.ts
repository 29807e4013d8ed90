import { type AuditAction, auditEntry, type Caller, fieldNames } from '../audit/entry.ts';
import type { Environment } from '../core/actor.ts';
import { type Id, newId } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import { DEFAULT_SENDS_PER_MINUTE } from './rate-limits.ts';

/** A customer, as one environment knows it. */
export interface Organization {
  readonly id: Id<'organization'>;
  readonly name: string;
  /** Contracted max. SMS per second; absent means unlimited (docs/spec/sms.md#contracted-sms-per-second). */
  readonly smsPerSecond?: number;
  /** Single sends per minute across all credentials; absent means the default (docs/spec/platform.md#rate-limits). */
  readonly sendsPerMinute?: number;
  /** In ms. */
  readonly createdAt: number;
}

/** Creates an organization without an SMS rate limit. */
export const newOrganization = (name: string, now: number): Organization => ({
  id: newId('organization'),
  name,
  createdAt: now,
});

/** An organization as the API returns it. */
export const organizationView = (organization: Organization, env: Environment) => ({
  id: organization.id,
  name: organization.name,
  env,
  ...(organization.smsPerSecond === undefined ? {} : { smsPerSecond: organization.smsPerSecond }),
  ...(env === 'live' ? { sendsPerMinute: organization.sendsPerMinute ?? DEFAULT_SENDS_PER_MINUTE } : {}),
  createdAt: isoTime(organization.createdAt),
});

/** The audit entry of a change of the caller's organization: the changed fields, never their values. */
export const organizationEntry = (caller: Caller, action: AuditAction, at: number, change: object) =>
  auditEntry(caller, { action, object: caller.organizationId, at, details: { fields: fieldNames(change) } });
