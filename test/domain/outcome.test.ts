import { describe, expect, test } from 'vitest';
import { asCoins } from '../../shared/domain/core/money.ts';
import { type CountedMessage, outcomeOf } from '../../shared/domain/message/outcome.ts';

const SENT_AT = Date.parse('2026-11-26T10:59:59.999Z');
const HOUR_MS = 3_600_000;
const sent = (fields: Partial<CountedMessage> = {}): CountedMessage => ({
  channel: 'sms',
  status: 'sent',
  hold: 'captured',
  coins: asCoins(800),
  createdAt: SENT_AT - 2 * HOUR_MS,
  sentAt: SENT_AT,
  ...fields,
});
const { sentAt: _, ...queued } = sent({ status: 'queued', hold: 'open' });
const released = { ...queued, status: 'failed', hold: 'released', failedAt: SENT_AT + 1 } as const;
const startOf = (message: CountedMessage): string => new Date(outcomeOf(message)?.hour ?? 0).toISOString();

describe('the outcome of a message', () => {
  test('is in the hour (UTC) in which it was sent, else in which it failed', () => {
    expect(startOf(sent())).toBe('2026-11-26T10:00:00.000Z');
    expect(startOf(sent({ status: 'undelivered', failedAt: SENT_AT + 5 * HOUR_MS }))).toBe('2026-11-26T10:00:00.000Z');
    expect(startOf(released)).toBe('2026-11-26T11:00:00.000Z');
  });

  test('is in the hour of its creation where neither time is known', () => {
    const { sentAt: _sentAt, ...without } = sent({ status: 'delivered' });
    expect(startOf(without)).toBe('2026-11-26T08:00:00.000Z');
  });

  test('is none while its hold is open, and none of a message that was cancelled', () => {
    expect(outcomeOf(queued)).toBeUndefined();
    expect(outcomeOf({ ...released, hold: 'open' })).toBeUndefined();
    expect(outcomeOf({ ...released, reason: 'cancelled' })).toBeUndefined();
    expect(outcomeOf(released)).toBeDefined();
  });

  test('costs what was charged less the refund, and nothing if it was not sent', () => {
    expect(outcomeOf(sent())?.counts.coins).toBe(800);
    expect(outcomeOf(sent({ capturedCoins: asCoins(500), refunded: asCoins(120) }))?.counts.coins).toBe(380);
    expect(outcomeOf(released)?.counts).toEqual({ sent: 0, unsent: 1, delivered: 0, read: 0, coins: 0 });
  });

  test('is delivered for a push that its service accepted, and sent for whatever was delivered', () => {
    expect(outcomeOf(sent({ channel: 'push' }))?.counts).toMatchObject({ sent: 1, delivered: 1 });
    expect(outcomeOf(sent())?.counts).toMatchObject({ sent: 1, delivered: 0 });
    const read = { ...released, status: 'read', readAt: SENT_AT } as const;
    expect(outcomeOf(read)?.counts).toEqual({ sent: 1, unsent: 0, delivered: 1, read: 1, coins: 0 });
  });

  test.each([
    ['invalid_number', 'invalid_number'],
    [undefined, 'other'],
    ['Não entregue', 'other'],
    ['a#b', 'other'],
    ['x'.repeat(41), 'other'],
  ])('that failed for %s is named %s', (reason, failure) => {
    const message = { ...released, ...(reason === undefined ? {} : { reason }) } as CountedMessage;
    expect(outcomeOf(message)?.failure).toBe(failure);
  });
});
