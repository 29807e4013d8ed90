import { describe, expect, test } from 'vitest';
import { createKey, type IssuedKey, type KeyStore } from '../../shared/domain/access/keys.ts';
import { rotateKey } from '../../shared/domain/access/rotate-key.ts';
import { channelOf } from '../../shared/domain/channels/registry.ts';
import type { WhatsappNumber } from '../../shared/domain/channels/whatsapp/numbers/number.ts';
import { qualityEvents } from '../../shared/domain/channels/whatsapp/numbers/quality.ts';
import { afterReview } from '../../shared/domain/channels/whatsapp/templates/review.ts';
import type { WhatsappTemplate } from '../../shared/domain/channels/whatsapp/templates/template.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { contactEvent, mergedEvent } from '../../shared/domain/contacts/events.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import { campaignEvent, journeyEvent } from '../../shared/domain/events/automation.ts';
import { EVENT_TYPES } from '../../shared/domain/events/catalogue.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { EVENT_EXAMPLES } from '../../shared/domain/events/examples.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { messageEventData } from '../../shared/domain/tracking/events.ts';
import { walletEvent } from '../../shared/storage/wallet/wallet.ts';

const id = (prefix: string) => `${prefix}_4hJ9sKq2LmN8pRt5VwXz1`;
const ORGANIZATION = parseId('organization', id('org'));
interface Completed {
  readonly startedAt: string;
  readonly completedAt: string;
  readonly progress: Readonly<Record<string, number>>;
  readonly coins: Readonly<Record<'captured' | 'held', number>>;
}
const NOW = Date.parse('2026-03-02T14:05:09.120Z');
const fieldsOf = (data: Readonly<Record<string, unknown>>) => Object.keys(data).toSorted();
const expectFields = (event: DomainEvent | undefined) => {
  if (!event) throw new Error('nothing was raised');
  expect(fieldsOf(EVENT_EXAMPLES[event.type])).toEqual(fieldsOf(event.data));
};

/** A message with every field that its events may have. */
const message = (channel: MessageRecord['channel'], to: string) =>
  ({
    id: 'msg_1',
    channel,
    to,
    status: 'failed',
    reason: 'expired',
    route: 'premium',
    contactId: 'cnt_1',
    campaignId: 'c',
    metadata: { a: 1 },
  }) as unknown as MessageRecord;
const TO = {
  whatsapp: '+5511987654321',
  sms: '+5511987654321',
  rcs: '+5511987654321',
  email: 'maria@example.com',
  instagram: '17841400000000000',
} as const;
/** The fields of an event type besides its message. */
const OWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  'sms.clicked': ['url', 'click'],
  'rcs.clicked': ['url', 'click'],
  'email.opened': ['at'],
  'email.clicked': ['at', 'url'],
};

describe('the example of an event type has the fields of raised events', () => {
  const types = EVENT_TYPES.filter((type) => 'to' in EVENT_EXAMPLES[type] && type !== 'ai.interaction');
  test.each(types)('%s', (type) => {
    const example = EVENT_EXAMPLES[type];
    const channel = example.channel as keyof typeof TO;
    const { reason: _, ...data } = messageEventData(message(channel, TO[channel]));
    const names = [...Object.keys(data), ...(OWN_FIELDS[type] ?? [])];
    expect(fieldsOf(example).filter((name) => name !== 'reason')).toEqual(names.toSorted());
    expect(example.to).toBe(channelOf(channel).mask(TO[channel]));
  });

  test('campaign.started, campaign.paused and campaign.completed', () => {
    const own = { organizationId: ORGANIZATION, env: 'live', id: parseId('campaign', id('cmp')) } as const;
    const campaign = { ...own, name: 'Black Friday', campaignTag: 'black-friday' };
    const { progress, coins, startedAt, completedAt } = EVENT_EXAMPLES['campaign.completed'] as unknown as Completed;
    const ended = { type: 'campaign.completed', startedAt: Date.parse(startedAt), progress, coins } as const;
    expect(campaignEvent(campaign, { type: 'campaign.started', total: 1250 }, NOW).data).toEqual(
      EVENT_EXAMPLES['campaign.started'],
    );
    expect(campaignEvent(campaign, { type: 'campaign.paused', reason: 'insufficient_funds' }, NOW).data).toEqual(
      EVENT_EXAMPLES['campaign.paused'],
    );
    expect(campaignEvent(campaign, ended, Date.parse(completedAt)).data).toEqual(EVENT_EXAMPLES['campaign.completed']);
    expect(campaignEvent({ ...own, name: 'n' }, ended, NOW).data).not.toHaveProperty('campaignTag');
  });

  test('journey.activated, journey.paused and journey.run_failed', () => {
    const first = { organizationId: ORGANIZATION, env: 'live', id: parseId('journey', id('jor')), versao: 1 } as const;
    const journey = { ...first, versao: 2, versaoDe: parseId('journey', 'jor_9xJ9sKq2LmN8pRt5VwXz1') };
    const failed = {
      type: 'journey.run_failed',
      runId: parseId('run', id('run')),
      contactId: parseId('contact', id('cnt')),
      passo: 'avisar_erp',
      motivo: 'webhook_falhou',
    } as const;
    const paused = { motivo: 'saldo_insuficiente', passo: 'boas_vindas', rotulo: 'Boas-vindas' };
    expect(journeyEvent(journey, { type: 'journey.activated' }, NOW).data).toEqual(EVENT_EXAMPLES['journey.activated']);
    expect(journeyEvent(journey, { type: 'journey.paused', ...paused }, NOW).data).toEqual(
      EVENT_EXAMPLES['journey.paused'],
    );
    expect(journeyEvent(journey, failed, NOW).data).toEqual(EVENT_EXAMPLES['journey.run_failed']);
    expect(journeyEvent(first, { type: 'journey.activated' }, NOW).data).not.toHaveProperty('versaoDe');
  });

  test('contact.created, contact.opted_out and contact.merged', () => {
    const contact = { id: 'cnt_1', phone: TO.sms, source: 'api', optIn: { status: 'unknown' } } as unknown as Contact;
    expectFields(contactEvent('contact.created', contact, NOW));
    const optIn = { status: 'denied', revokedReason: 'asked to stop' } as const;
    expectFields(contactEvent('contact.opted_out', { ...contact, optIn }, NOW));
    expectFields(mergedEvent(contact, 'cnt_2' as Id<'contact'>, NOW));
  });

  test('apikey.created and apikey.rotated', async () => {
    const grantor = { organizationId: 'org_1', env: 'test', scopes: new Set(['sms:send']) } as never;
    const made = (await createKey(
      { create: async () => 'created' } as unknown as KeyStore,
      grantor,
      { name: 'Checkout', scopes: ['sms:send'] } as never,
      NOW,
    )) as IssuedKey;
    expectFields(made.event);
    const store = { read: async () => made.key, rotate: async () => true } as unknown as KeyStore;
    expectFields(((await rotateKey(store, grantor, { id: made.key.id }, NOW)) as IssuedKey).event);
  });

  test('wallet.low_balance, wallet.depleted, number.quality_changed, template.approved and template.rejected', () => {
    const at = { organizationId: 'org_1', env: 'test', now: NOW, balance: 0, low: 50_000 } as never;
    expectFields(walletEvent('low', at));
    expectFields(walletEvent('depleted', at));
    const number = { id: 'num_1', organizationId: 'org_1', phoneNumberId: '1', qualityRating: 'green' };
    expectFields(qualityEvents(number as unknown as WhatsappNumber, 'yellow', 'test', NOW)[0]);
    const template = { id: 'tpl_1', organizationId: 'org_1', name: 'n', language: 'pt-BR', version: 1 };
    for (const status of ['approved', 'rejected'] as const)
      expectFields(afterReview(template as unknown as WhatsappTemplate, { status }, 'test', NOW).events[0]);
  });
});
