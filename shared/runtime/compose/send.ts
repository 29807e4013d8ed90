import { rulesOf } from '../../domain/messages/channels.ts';
import type { Routing as RoutingPort, SendObserver, SendPorts } from '../../domain/messages/ports.ts';
import { sandboxProvider } from '../../domain/messages/sandbox.ts';
import { Routing } from '../../providers/routing.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { breakers } from '../../storage/breakers.ts';
import { journal } from '../../storage/journal.ts';
import { eventHint } from '../../storage/outbox.ts';
import { readProviderSettings, readRoutes } from '../../storage/providers.ts';
import type { Sealer } from '../../storage/queued.ts';
import { readPromise } from '../../storage/reserve.ts';
import { noteDepleted } from '../../storage/wallet.ts';
import { logger, measure } from '../observe.ts';
import { note } from '../scope.ts';
import { clock, providerFetch, publishDue, settings, table, vault } from './platform.ts';
import { quotePorts, volumes } from './quote.ts';

const observe: SendObserver = {
  sent(channel, outcome, { messageId, provider, coins }) {
    const accepted = outcome === 'accepted';
    measure({ channel, outcome }, accepted ? { Sends: 1, Price: coins ?? 0 } : { Refusals: 1 });
    note({ outcome, messageId, provider, coins });
  },
  provider(name, outcome, ms) {
    if (name !== 'sandbox_provider') measure({ provider: name, outcome }, { ProviderLatency: ms });
  },
  resolved(channel, outcome, { organizationId, messageId }) {
    measure({ channel, outcome }, { ResolvedHolds: 1 });
    logger.warn('hold resolved by others than its sender', { channel, outcome, organizationId, messageId });
  },
};

export const routing = new Routing({
  env: settings.STAGE,
  io: {
    fetch: providerFetch,
    now: clock,
    // Loaded at the first send from a number: a function that sends nothing by WhatsApp does not pay for it.
    numberOf: async (numberId) => (await import('./number-access.ts')).numberAccess(numberId),
  },
  clock,
  breakers: breakers(table, clock),
  sandbox: (channel) => sandboxProvider(rulesOf(channel)),
  settings: async (channel) => readProviderSettings(table, await vault(), channel),
  routes: (organizationId, channel, route) => readRoutes(table, organizationId, channel, route),
});

/** The same, with live pushes carried by the organization's own apps: no route of the stage serves them, so none is tripped. */
const withPush: RoutingPort = {
  candidates: async (channel, organizationId, env, route) =>
    channel === 'push' && env === 'live'
      ? (await import('./push-single.ts')).singlePushCandidates(organizationId)
      : routing.candidates(channel, organizationId, env, route),
  provider: (channel, name) => routing.provider(channel, name),
  report: async (channel, ...outcome) => {
    if (channel !== 'push') await routing.report(channel, ...outcome);
  },
};

const PURPOSE = 'queued-content';
export const sealer: Sealer = {
  seal: async (organizationId, id, text) => (await vault()).seal(PURPOSE, organizationId, text, id),
  open: async (organizationId, id, sealed) => (await vault()).open(PURPOSE, organizationId, sealed, id),
};

const secondsUntil = (at: number) => Math.max(0, (at - clock()) / 1000);

/** What the rules of every channel need, over this stage's table, queues and providers. */
export const sendPorts: SendPorts = {
  clock,
  journal: journal(table, publishDue, sealer),
  routing: withPush,
  prices: quotePorts.prices,
  volume: (organizationId, env, month, holdsUntil) =>
    env === 'live'
      ? Promise.resolve(volumes.guess(organizationId, month))
      : quotePorts.volume(organizationId, env, month, holdsUntil),
  learnVolume: volumes.learn,
  promise: (organizationId, callerKey, now) => readPromise(table, organizationId, callerKey, now),
  hashTo: async (organizationId, kind, to) => (await vault()).blindIndex(organizationId, kind, to),
  hashRecipient: async (phone) => (await vault()).blindIndex('*', 'phone', phone),
  hintOutcome: (messageId, at) =>
    publishDue([{ kind: 'sandbox_outcome', ...KEYS.message(messageId) }], secondsUntil(at)),
  hintResolve: (messageId, at) => publishDue([{ kind: 'resolve_send', ...KEYS.message(messageId) }], secondsUntil(at)),
  noteDepleted: async (organizationId, env) => {
    const event = await noteDepleted(table, { organizationId, env, now: clock() });
    if (event) publishDue([eventHint(event.id)]);
  },
  sendDeadlineMs: settings.SEND_DEADLINE_SECONDS * 1000,
  publicUrl: settings.PUBLIC_URL,
  observe,
};
