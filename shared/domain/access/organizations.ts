import type { Environment } from '../actor.ts';
import { type Id, newId } from '../ids.ts';
import { isoTime } from '../time.ts';

/** A customer of the service, as one environment knows it. */
export interface Organization {
  readonly id: Id<'organization'>;
  readonly name: string;
  /** SMS accepted per second at most, as contracted; absent means no ceiling (interface, part 8). */
  readonly smsPerSecond?: number;
  /** ms. */
  readonly createdAt: number;
}

/** A new customer, without a ceiling. */
export const newOrganization = (name: string, now: number): Organization => ({
  id: newId('organization'),
  name,
  createdAt: now,
});

/** An organization as the wire shows it. */
export const organizationView = (organization: Organization, env: Environment) => ({
  id: organization.id,
  name: organization.name,
  env,
  ...(organization.smsPerSecond === undefined ? {} : { smsPerSecond: organization.smsPerSecond }),
  createdAt: isoTime(organization.createdAt),
});
