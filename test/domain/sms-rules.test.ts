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
  // One digit less of an ending is any other number.
  ['1006', 'accepted', [{ status: 'delivered' }]],
  ['1114', 'accepted', [{ status: 'delivered' }]],
  ['1099', 'accepted', [{ status: 'delivered' }]],
])('the sandbox plays a recipient that ends with %s as the interface says', (ending, kind, reports) => {
  const play = rules.sandbox(`+55119999${ending.padStart(5, '9')}`);
  expect({ kind: play.kind, reports: play.kind === 'accepted' ? play.reports : undefined }).toEqual({ kind, reports });
});

test('the sandbox reports 3 s after a send was accepted', () => expect(SANDBOX_REPORT_DELAY_MS).toBe(3_000));

test('a provider’s refusal of the message has the reason that the interface names, and one of its route none', () => {
  expect(rules.reasonOf).toEqual({
    recipient: 'invalid_number',
    content: 'carrier_rejected',
    blacklisted: 'blacklisted',
  });
});

test('an SMS raises one event for each end, and none on its way', () => {
  expect(rules.eventOf).toEqual({
    delivered: 'sms.delivered',
    failed: 'sms.failed',
    undelivered: 'sms.undelivered',
  });
  expect(rules.engagementOf).toEqual({ clicked: 'sms.clicked' });
});
