import type { SmsAccount, SmsObserver, SmsPorts } from '../../domain/sms/ports.ts';
import { SmsRoutingTable } from '../../providers/sms/routing.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { breakers } from '../../storage/breakers.ts';
import { journal } from '../../storage/journal.ts';
import { eventHint } from '../../storage/outbox.ts';
import { readProviderSettings, readRoutes } from '../../storage/providers.ts';
import { readPromise } from '../../storage/reserve.ts';
import { readSmsAccount } from '../../storage/sms-account.ts';
import { noteDepleted } from '../../storage/wallet.ts';
import { logger, measure } from '../observe.ts';
import { note } from '../scope.ts';
import { clock, publishDue, settings, table, vault } from './platform.ts';
import { quotePorts, volumes } from './quote.ts';

/** How long a process trusts an organization's settings, in ms. */
const TRUST_MS = 10_000;
const accounts = new Map<string, { at: number; account: SmsAccount }>();
const account = async (organizationId: string): Promise<SmsAccount> => {
  const held = accounts.get(organizationId);
  const now = clock();
  if (held && now - held.at < TRUST_MS) return held.account;
  const fresh = await readSmsAccount(table, organizationId);
  if (accounts.size > 10_000) accounts.clear();
  accounts.set(organizationId, { at: now, account: fresh });
  return fresh;
};

const observe: SmsObserver = {
  sent(outcome, { messageId, provider, coins }) {
    const accepted = outcome === 'accepted';
    measure({ channel: 'sms', outcome }, accepted ? { Sends: 1, Price: coins ?? 0 } : { Refusals: 1 });
    note({ outcome, messageId, provider, coins });
  },
  provider(name, outcome, ms) {
    if (name !== 'sandbox_provider') measure({ provider: name, outcome }, { ProviderLatency: ms });
  },
  resolved(outcome, { organizationId, messageId }) {
    measure({ channel: 'sms', outcome }, { ResolvedHolds: 1 });
    logger.warn('hold resolved by others than its sender', { outcome, organizationId, messageId });
  },
};

export const routing = new SmsRoutingTable({
  env: settings.STAGE,
  io: { fetch: globalThis.fetch, now: clock },
  clock,
  breakers: breakers(table, clock),
  settings: async () => readProviderSettings(table, await vault(), 'sms'),
  routes: (organizationId, route) => readRoutes(table, organizationId, 'sms', route),
});

const secondsUntil = (at: number) => Math.max(0, (at - clock()) / 1000);

export const smsJournal = journal(table, (hints) => publishDue(hints));

/** What the SMS rules need, over this stage's table, queues and providers. */
export const smsPorts: SmsPorts = {
  clock,
  journal: smsJournal,
  routing,
  prices: quotePorts.prices,
  volume: (organizationId, env, month, holdsUntil) =>
    env === 'live'
      ? Promise.resolve(volumes.guess(organizationId, month))
      : quotePorts.volume(organizationId, env, month, holdsUntil),
  learnVolume: volumes.learn,
  account,
  promise: (organizationId, callerKey, now) => readPromise(table, organizationId, callerKey, now),
  hashPhone: async (organizationId, phone) => (await vault()).blindIndex(organizationId, 'phone', phone),
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
