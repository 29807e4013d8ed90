import { expect, test } from 'vitest';
import { channelOf } from '../../shared/domain/channels/registry.ts';
import { SANDBOX_REPORT_DELAY_MS } from '../../shared/domain/message/sandbox.ts';

const rules = channelOf('sms');

test.each([
  ['0005', 'accepted', [{ status: 'delivered' }]],
  ['0006', 'accepted', [{ status: 'undelivered', reason: 'carrier_rejected' }]],
  ['0008', 'accepted', [{ status: 'failed', reason: 'invalid_number' }]],
  ['0013', 'accepted', [{ status: 'failed', reason: 'expired' }]],
  ['0018', 'accepted', [{ status: 'failed', reason: 'blacklisted' }]],
  ['0099', 'accepted', []],
  ['0114', 'refused', undefined],
  // Without all digits of a documented ending it is any other number.
  ['1006', 'accepted', [{ status: 'delivered' }]],
  ['1114', 'accepted', [{ status: 'delivered' }]],
  ['1099', 'accepted', [{ status: 'delivered' }]],
])('the sandbox gives a recipient that ends with %s its documented outcome', (ending, kind, reports) => {
  const play = rules.sandbox(`+55119999${ending.padStart(5, '9')}`);
  expect({ kind: play.kind, reports: play.kind === 'accepted' ? play.reports : undefined }).toEqual({ kind, reports });
});

test('the sandbox reports 3 s after a send was accepted', () => expect(SANDBOX_REPORT_DELAY_MS).toBe(3_000));

test('a provider’s refusal of the message has its documented reason; a refusal of the route has none', () => {
  const reasons = { recipient: 'invalid_number', content: 'carrier_rejected', blacklisted: 'blacklisted' };
  expect(rules.reasonOf).toEqual(reasons);
});

test('an SMS raises one event for each final status, and none before', () => {
  const events = { delivered: 'sms.delivered', failed: 'sms.failed', undelivered: 'sms.undelivered' };
  expect(rules.eventOf).toEqual(events);
  expect(rules.engagementOf).toEqual({ clicked: 'sms.clicked' });
});
