import { stopOf } from '../../domain/email/suppression.ts';
import type { RecipientKind } from '../../domain/messages/channels.ts';
import type { PreviewPorts } from '../../domain/messages/overview.ts';
import type { SendPlan, Tenant } from '../../domain/messages/plan.ts';
import type { SubmitPorts } from '../../domain/messages/submit.ts';
import { consentFault, readStanding } from '../../storage/consent.ts';
import { readWallet } from '../../storage/ledger.ts';
import { clock, table } from './platform.ts';
import { sendPorts } from './send.ts';

const hashTo =
  ({ organizationId }: Tenant) =>
  (kind: RecipientKind, to: string) =>
    sendPorts.hashTo(organizationId, kind, to);

/** What stands against a send before it is reserved: consent and funds as they are now. */
export const standing: Pick<SubmitPorts, 'balance' | 'consentFault'> = {
  balance: async (organizationId) => (await readWallet(table, organizationId))?.balance ?? 0,
  consentFault: (tenant, plan) => consentFault(table, tenant.organizationId, plan, hashTo(tenant)),
};

/** The same for a preview of some plans, and what would stop their messages when they leave. */
export const foreseen: PreviewPorts['foreseen'] = async (tenant, plans) => {
  const { recipients, ...rest } = await readStanding(table, tenant.organizationId, plans, hashTo(tenant));
  const ways = recipients.map(({ consent, suppressedUntil }, place) => {
    const { channel, to } = plans[place] as SendPlan;
    const stop = channel === 'email' ? stopOf(to, suppressedUntil > clock()) : undefined;
    return { consent, stop };
  });
  return { ...rest, ways: new Map(plans.map((plan, place) => [plan, ways[place]])) };
};
