import type { PreviewPorts } from '../../domain/api/v1-send.ts';
import type { Tenant } from '../../domain/core/actor.ts';
import type { RecipientKind } from '../../domain/message/channel.ts';
import type { SubmitPorts } from '../../domain/sending/accept.ts';
import type { SendPlan } from '../../domain/sending/plan.ts';
import { suppressionRefusal } from '../../domain/sending/suppression.ts';
import { consentFault, readEligibility } from '../../storage/contacts/recipient-eligibility.ts';
import { clock, table } from '../process/aws.ts';
import { balance } from '../wallet/funds.ts';
import { sendPorts } from './ports.ts';

const recipientHashOf =
  ({ organizationId }: Tenant) =>
  (kind: RecipientKind, to: string) =>
    sendPorts.recipientHashOf(organizationId, kind, to);

/** Balance and consent, for the checks before a reservation. */
export const precheckPorts: Pick<SubmitPorts, 'balance' | 'consentFault'> = {
  balance,
  consentFault: (tenant, plan) => consentFault(table, tenant.organizationId, plan, recipientHashOf(tenant)),
};

/** Balance, quiet hours, consent and suppression for the preview of some plans. */
export const previewContext: PreviewPorts['previewContext'] = async (tenant, plans) => {
  const { recipients, ...rest } = await readEligibility(table, tenant.organizationId, plans, recipientHashOf(tenant));
  const checks = recipients.map(({ consent, suppressedUntil }, index) => {
    return { consent, stop: suppressionRefusal(plans[index] as SendPlan, suppressedUntil > clock()) };
  });
  return { ...rest, byPlan: new Map(plans.map((plan, index) => [plan, checks[index]])) };
};
