import { comparedValue, type SenderPorts } from '../../domain/senders/sender.ts';
import { checkSender } from '../../domain/senders/senders.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { readProviderSettings } from '../../storage/access/providers.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { readDueSender, senderStore } from '../../storage/senders/senders.ts';
import { clock, publishWorkAt, settings, table, vaults } from '../process/aws.ts';

const emailIdentities: SenderPorts['emailIdentities'] = async () => {
  const ses = (await readProviderSettings(table, await vaults.providers(), 'email')).get('amazon_ses');
  if (ses === undefined) return undefined;
  const { sesIdentities } = await import('../../providers/email/ses-identities.ts');
  return sesIdentities(ses);
};

export const senderPorts: SenderPorts = {
  clock,
  senders: senderStore(table),
  emailIdentities,
  enqueueCheck: ({ organizationId: owner, channel, value, nextCheckAt = clock() }) =>
    publishWorkAt(
      [{ kind: 'check_sender', ...KEYS.sender(owner, channel, comparedValue(channel, value)), owner }],
      nextCheckAt,
    ),
};

/** Checks a pending sender whose check is due. */
export const processSenderCheck = async ({ pk, sk }: WorkItem): Promise<void> => {
  const due = await readDueSender(table, { pk, sk });
  if (due) await checkSender(senderPorts, { organizationId: due.organizationId, env: settings.STAGE }, due.id);
};
