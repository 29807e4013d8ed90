import { beforeEach, describe, expect, test } from 'vitest';
import { channelOf, channelOfCallback } from '../../shared/domain/channels/registry.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import type { ReceiptEvent } from '../../shared/domain/message/provider-port.ts';
import { applySettled } from '../../shared/domain/sending/apply-receipt.ts';
import type { SendPorts } from '../../shared/domain/sending/ports.ts';

const NOW = Date.parse('2026-11-23T12:00:00.000Z');
const sent = {
  id: newId('message'),
  organizationId: newId('organization'),
  env: 'live',
  channel: 'sms',
  to: '+5511999990005',
  provider: 'twilio',
  status: 'sent',
  hold: 'captured',
  sentAt: NOW - 1_000,
  coins: 800,
  createdAt: NOW - 2_000,
} as Partial<MessageRecord> as MessageRecord;
const delivered: ReceiptEvent = {
  kind: 'receipt',
  providerMessageId: 'SM1',
  status: 'delivered',
  at: NOW,
  receipt: { id: 'SM1', type: 'api_message', to: '+5511999990005', status: 'delivered' },
};

type Transition = Parameters<SendPorts['messageStore']['advance']>[1];
/** A store that refuses its first `conflicts` writes, and shows `stored` when it is read. */
const written: Transition[] = [];
let conflicts = 0;
let stored: MessageRecord | undefined;
let reads = 0;
const ports = {
  clock: () => NOW,
  messageStore: {
    advance: async (_: MessageRecord, transition: Transition) => {
      if (conflicts-- > 0) return false;
      written.push(transition);
      return true;
    },
    read: async () => {
      reads++;
      return stored;
    },
  },
} as object as Pick<SendPorts, 'clock' | 'messageStore'>;
beforeEach(() => {
  written.length = 0;
  conflicts = 0;
  reads = 0;
  stored = sent;
});

describe('a receipt of a settled message', () => {
  test.each(['captured', 'released'] as const)('whose hold is %s is applied without another read', async (hold) => {
    expect(await applySettled(ports, { ...sent, hold }, delivered)).toBe(true);
    expect(written).toMatchObject([{ status: 'delivered', at: NOW }]);
    expect(reads).toBe(0);
  });

  test('that it already shows writes nothing', async () => {
    const shown = { ...sent, status: 'delivered', providerReceipt: delivered.receipt } as MessageRecord;
    expect(await applySettled(ports, shown, delivered)).toBe(true);
    expect(written).toEqual([]);
  });

  test.each([
    ['another status', { status: 'read' }],
    ['another reason', { reason: 'expired' }],
    ["another status of the provider's own", { providerReceipt: { ...delivered.receipt, status: 'on_device' } }],
  ])('that differs from it by %s is recorded', async (_, other) => {
    const shown = { ...sent, status: 'delivered', providerReceipt: delivered.receipt, ...other } as MessageRecord;
    expect(await applySettled(ports, shown, delivered)).toBe(true);
    expect(written).toHaveLength(1);
  });

  test('that is the first to name the carrier is recorded, though the message shows all else of it', async () => {
    const report = { ...delivered, status: 'sent', via: 'sms' } as const;
    const shown = { ...sent, channel: 'rcs', providerReceipt: delivered.receipt } as MessageRecord;
    expect(await applySettled(ports, shown, report)).toBe(true);
    expect(written).toMatchObject([{ via: 'sms' }]);
    expect(await applySettled(ports, { ...shown, via: 'sms' }, report)).toBe(true);
    expect(written).toHaveLength(1);
  });

  test('is applied to the current message after concurrent changes', async () => {
    conflicts = 2;
    expect(await applySettled(ports, sent, delivered)).toBe(true);
    expect([written.length, reads]).toEqual([1, 2]);
  });

  test('is left to the pending receipts after five concurrent changes, or when the message is gone', async () => {
    conflicts = 5;
    expect(await applySettled(ports, sent, delivered)).toBe(false);
    expect([written.length, reads]).toEqual([0, 5]);
    conflicts = 1;
    stored = undefined;
    expect(await applySettled(ports, sent, delivered)).toBe(false);
  });

  test('is not applied while the hold is open', async () => {
    expect(await applySettled(ports, { ...sent, hold: 'open' }, delivered)).toBe(false);
    expect(written).toEqual([]);
  });
});

describe('the registry of channels', () => {
  test('finds the channel of a callback by its provider and its kind together', () => {
    expect(channelOfCallback('twilio', 'receipts')).toBe('sms');
    expect(channelOfCallback('amazon_ses', 'events')).toBe('email');
    expect(channelOfCallback('infobip', 'receipts')).toBe('sms');
    expect(channelOfCallback('infobip', 'rcs-receipts')).toBe('rcs');
    expect(channelOfCallback('twilio', 'rcs-receipts')).toBeUndefined();
    expect(channelOfCallback('nobody', 'receipts')).toBeUndefined();
  });

  test('has no channel of another name', () => {
    expect(() => channelOf('fax' as Channel)).toThrow(TypeError);
  });
});
