import { automatedSend } from '../api/automated-send.ts';
import type { BulkPorts } from '../bulk/ports.ts';
import { channelOf } from '../channels/registry.ts';
import { isRefusal } from '../core/errors.ts';
import { isFaults } from '../personalization/message.ts';
import { type Campaign, variantsOf } from './campaign.ts';
import { compileTexts } from './campaigns.ts';
import { asRequest } from './compose.ts';

/** Placeholder recipients, for planning a message that is never sent. */
const NOBODY: Readonly<Partial<Record<ReturnType<typeof channelOf>['recipient'], string>>> = {
  phone: '+5511999990005',
  email: 'success@simulator.amazonses.com',
};

/** Replaces each placeholder by a dummy value. */
const stated = (text: string | undefined) => (text === undefined || text.trim() === '' ? text && 'x' : text);

/**
 * Whether a campaign's message needs consent: not if its channel treats it as transactional. A message that cannot be planned is treated as
 * marketing.
 */
export const needsConsent = async (
  ports: Pick<BulkPorts, 'plan'>,
  campaign: Campaign,
  variant: number,
): Promise<boolean> => {
  const message = variantsOf(campaign)[variant]?.message;
  const to = message && NOBODY[channelOf(message.channel).recipient];
  const compiled = message && compileTexts(message);
  if (to === undefined || !compiled || isFaults(compiled)) return true;
  const { message: filled } = compiled.fill({});
  const { text, variables } = filled;
  const body = {
    ...asRequest(filled),
    to,
    text: stated(text),
    variables:
      variables &&
      Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value === '' ? 'x' : value])),
  };
  const planned = await ports.plan(campaign, automatedSend(body, { labels: {} }));
  return isRefusal(planned) || planned.plan.requiresConsent;
};
