import { describe, expect, it, test } from 'vitest';
import type { ProviderEvent } from '../../../shared/domain/message/provider-port.ts';
import { accountEntry, accountEvents } from '../../../shared/providers/whatsapp/cloud-api-events.ts';
import { personOf } from '../../../shared/providers/whatsapp/wa-id.ts';

const USER = 'BR.13491208655302741918';
const metadata = { display_phone_number: '15550783881', phone_number_id: '106540352242922' };
const read = (field: string, value: object): readonly unknown[] =>
  accountEvents(accountEntry.parse({ id: '102290129340398', changes: [{ field, value: { metadata, ...value } }] }), 0);

const text = { id: 'wamid.IN1', timestamp: '1749416383', type: 'text', text: { body: 'SAIR' } };
const contact = { profile: { name: 'Sheena Nelson', username: '@sheena' }, user_id: USER };
const inbound = (from: object, of: object = {}) =>
  read('messages', { contacts: [{ ...contact, ...of }], messages: [{ ...text, ...from }] });
const written = { kind: 'inbound', providerMessageId: 'wamid.IN1', text: 'SAIR', profileName: 'Sheena Nelson' };

describe('a message from a person whose phone is hidden', () => {
  it.each([
    ['empty', { from: '' }, { wa_id: '' }],
    ['omitted', {}, {}],
    ['null', { from: null }, {}],
  ])('is read with the user id as its sender, its phone being %s', (_, from, of) =>
    expect(inbound({ ...from, from_user_id: USER }, of)).toMatchObject([{ ...written, from: USER }]),
  );

  it('has both ids while Meta still reports the phone', () => {
    const wa_id = '5511987654321';
    expect(inbound({ from: wa_id, from_user_id: USER }, { wa_id })).toMatchObject([
      { ...written, from: '+5511987654321', userId: USER },
    ]);
  });

  it('is counted as unreadable only if nothing identifies the person', () => {
    expect(inbound({ from: '', from_user_id: '' })).toEqual([undefined]);
    expect(inbound({ from: '', from_user_id: 'BR. 1' })).toEqual([undefined]);
  });
});

test('the status of a message to a person whose phone is hidden is read', () => {
  const status = { id: 'wamid.OUT1', status: 'delivered', timestamp: '1750030073' };
  const receiptOf = (over: object) => read('messages', { statuses: [{ ...status, ...over }] }) as ProviderEvent[];
  const found = { kind: 'receipt', providerMessageId: 'wamid.OUT1', status: 'delivered' };
  const hidden = { recipient_id: '', recipient_user_id: USER };
  expect(receiptOf(hidden)).toMatchObject([{ ...found, receipt: { to: USER } }]);
  expect(receiptOf({ recipient_user_id: USER })).toMatchObject([{ ...found, receipt: { to: USER } }]);
  expect(receiptOf({})).toMatchObject([{ ...found, receipt: { to: '' } }]);
});

test('the marketing preference of a person whose phone is hidden is read by its user id', () => {
  const preference = { category: 'marketing_messages', value: 'stop', timestamp: 1_731_705_721 };
  const event = { kind: 'platform', about: 'preference', from: USER, value: 'stop' };
  for (const waId of [{ wa_id: '' }, {}])
    expect(read('user_preferences', { user_preferences: [{ ...preference, ...waId, user_id: USER }] })).toMatchObject([
      event,
    ]);
  expect(read('user_preferences', { user_preferences: [{ ...preference, wa_id: '' }] })).toEqual([undefined]);
});

it('takes a user id only in a form that no phone has', () => {
  const fromOf = (userId: string) => personOf(undefined, userId)?.from;
  expect(fromOf('US.ENT.11815799212886844830')).toBe('US.ENT.11815799212886844830');
  for (const userId of ['13491208655302741918', '+5511987654321', '', 'x'.repeat(257)])
    expect(fromOf(userId)).toBeUndefined();
});
