import type { SmsSendPorts } from '../../domain/api/send-sms.ts';
import type { RcsPlanPorts } from '../../domain/channels/rcs/plan.ts';
import { channelOf } from '../../domain/channels/registry.ts';
import { sandboxProvider } from '../../domain/message/sandbox.ts';
import type { SendObserver, SendPorts } from '../../domain/sending/ports.ts';
import { Routing } from '../../providers/routing.ts';
import { readProviderSettings, readRoutes } from '../../storage/access/providers.ts';
import { breakers } from '../../storage/due-work/breakers.ts';
import { concurrentStore } from '../../storage/messages/concurrent-store.ts';
import { readIdempotencyRecord } from '../../storage/messages/idempotency.ts';
import { messageStore } from '../../storage/messages/message-store.ts';
import type { Sealer } from '../../storage/messages/queued.ts';
import { chooseDebitLane } from '../../storage/wallet/debit.ts';
import { organizationSettings } from '../access/settings.ts';
import { clock, providerIo, publishWork, publishWorkAt, settings, table, vaults } from '../process/aws.ts';
import { logger, measure } from '../process/observe.ts';
import { addLogFields } from '../process/scope.ts';
import { senderChecks } from '../senders/checks.ts';
import { noteDepleted } from '../wallet/funds.ts';
import { quotePorts, volumes } from '../wallet/quote.ts';
import { messageWorkItem } from './message-work-item.ts';
import { routePorts } from './route.ts';

const observe: SendObserver = {
  sent(channel, outcome, { messageId, provider, coins }) {
    const accepted = outcome === 'accepted';
    measure({ channel, outcome }, accepted ? { Sends: 1 } : { Refusals: 1 });
    addLogFields({ outcome, messageId, provider, coins });
  },
  provider(name, outcome, ms) {
    if (name !== 'sandbox_provider') measure({ provider: name, outcome }, { ProviderLatency: ms });
  },
  resolved(channel, outcome, { organizationId, messageId }) {
    measure({ channel, outcome }, { ResolvedHolds: 1 });
    logger.warn('hold resolved by others than its sender', { channel, outcome, organizationId, messageId });
  },
};

/** The providers of the stage's channels. */
export const routing = new Routing({
  env: settings.STAGE,
  io: {
    ...providerIo,
    // Loaded at the first send from a number, to keep it out of other functions' cold starts.
    numberOf: async (numberId) => (await import('../whatsapp/number-access.ts')).numberAccess(numberId),
  },
  clock,
  breakers: breakers(table, clock),
  sandbox: (channel) => sandboxProvider(channelOf(channel)),
  settings: async (channel) => readProviderSettings(table, await vaults.providers(), channel),
  routes: (organizationId, channel, route) => readRoutes(table, organizationId, channel, route),
  // A push fans out to devices of the organization's own apps: no provider of the stage is called for it as a whole, and none can be missing.
  ownedBy: { push: async () => ({ kind: 'ready', providers: [] }) },
});

const PURPOSE = 'queued-content';
/** Seals content that is stored until it is sent. */
export const sealer: Sealer = {
  seal: async (organizationId, id, text) => (await vaults.content()).seal(PURPOSE, organizationId, text, id),
  open: async (organizationId, id, sealed) => (await vaults.content()).open(PURPOSE, organizationId, sealed, id),
};

const storeOfOne = messageStore(table, publishWork, sealer);
export const sendPorts: SendPorts = {
  clock,
  messageStore: concurrentStore(storeOfOne, async () => {
    const { batchingStore } = await import('../../storage/messages/batching-store.ts');
    return batchingStore(table, publishWork, storeOfOne);
  }),
  routing,
  ...routePorts,
  volume: (organizationId, env, month, range) =>
    env === 'live'
      ? Promise.resolve(volumes.guess(organizationId, month))
      : quotePorts.volume(organizationId, env, month, range),
  debitLane: ({ organizationId }, of) => chooseDebitLane(table, organizationId, of),
  learnVolume: volumes.learn,
  idempotencyRecord: (organizationId, callerKey, now) => readIdempotencyRecord(table, organizationId, callerKey, now),
  mayBeWithdrawn: async (message) => {
    if (message.escrow === undefined) return false;
    const undecided = await import('./undecided.ts');
    return undecided.mayBeWithdrawn(message);
  },
  recipientHashOf: async (organizationId, kind, to) => (await vaults.recipients()).blindIndex(organizationId, kind, to),
  globalRecipientHash: async (phone) => (await vaults.recipients()).blindIndex('*', 'phone', phone),
  enqueueSandboxReport: (message, at) => publishWorkAt([messageWorkItem('sandbox_outcome', message)], at),
  enqueueRecovery: (message, at) => publishWorkAt([messageWorkItem('recover_send', message)], at),
  noteDepleted,
  sendDeadlineMs: settings.SEND_DEADLINE_SECONDS * 1000,
  publicUrl: settings.PUBLIC_URL,
  observe,
};

/** Ports of RCS sends. */
export const rcsPorts: SendPorts & RcsPlanPorts = { ...sendPorts, ...senderChecks };

export const smsPorts: SmsSendPorts = {
  ...sendPorts,
  ...senderChecks,
  perSecond: async (organizationId) => (await organizationSettings(organizationId)).smsPerSecond,
};
