import { describe, expect, test } from 'vitest';
import {
  dispatchId,
  type FailureReason,
  type PushChunk,
  type PushDispatchRecord,
} from '../../shared/domain/channels/push/dispatch.ts';
import { noTally, pushMessageOf } from '../../shared/domain/channels/push/message.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { MessageOf } from '../../shared/domain/message/message.ts';
import { closeWithChunk } from '../../shared/domain/push-messages/drive.ts';
import type {
  LastOutcomes,
  PushOutcome,
  SendPushPorts,
  SettledDispatch,
} from '../../shared/domain/push-messages/ports.ts';

const messageId = newId('message');
const organizationId = newId('organization');
const devices = [0, 1].map(() => ({ id: newId('pushToken'), platform: 'ios' }) as const);
const record = {
  id: messageId,
  organizationId,
  env: 'test',
  channel: 'push',
  to: 'device-1',
  status: 'sending',
  hold: 'open',
  coins: 20,
  units: 2,
  route: 'simple',
  content: { title: 'Oi', body: 'Oi', platforms: ['ios'], devices, extents: [1] },
  createdAt: 1,
};
const message = pushMessageOf(record as unknown as MessageOf<'push'>, noTally());
const chunkOf = (failures: number): PushChunk => ({
  messageId,
  shard: 0,
  number: 0,
  attempt: 1,
  devices: 2,
  last: devices[1]?.id ?? newId('pushToken'),
  state: 'open',
  fence: 2,
  leaseUntil: 9,
  nextAt: 1,
  pass: 2,
  cursor: 2,
  step: 3,
  tally: { ...noTally(), ios: { delivered: 0, failures } },
});
const dispatchAt = (place: number, reason?: FailureReason): PushDispatchRecord => ({
  id: dispatchId(chunkOf(0), place),
  organizationId,
  messageId,
  tokenId: newId('pushToken'),
  platform: 'ios',
  status: reason ? 'failed' : 'queued',
  attempts: 1,
  reason,
});

/** Ends the message with a last device that failed for `last`, where its first one is stored as failed for `stored`, or still queued. */
const endWith = async (last: FailureReason, stored?: FailureReason) => {
  const closed: { readonly outcome: PushOutcome; readonly last: LastOutcomes | undefined }[] = [];
  const sender: Partial<SendPushPorts['sender']> = {
    dispatches: async () => [dispatchAt(0, stored), dispatchAt(1)],
    close: async (_, outcome, last) => closed.push({ outcome, last }) === 1,
  };
  const ports = { clock: () => 5, sender } as SendPushPorts;
  const settled: SettledDispatch[] = [{ dispatch: dispatchAt(1), status: 'failed', reason: last }];
  const ended = await closeWithChunk(ports, message, chunkOf(stored ? 1 : 0), settled);
  return { ended, outcome: closed[0]?.outcome, last: closed[0]?.last, settled };
};

describe('a push to a person that ends with the outcomes of its last devices', () => {
  test('writes them with its end, and counts them', async () => {
    const { ended, outcome, last, settled } = await endWith('unregistered', 'unregistered');
    expect(ended).toBe(true);
    expect(last).toEqual({ chunk: chunkOf(1), settled });
    expect(outcome).toMatchObject({ status: 'failed', captured: 0, tally: { ios: { delivered: 0, failures: 2 } } });
  });

  test.each([
    ['unregistered', 'undeliverable', undefined, true],
    ['unregistered', 'unregistered', 'invalid_recipient', true],
    ['unregistered', 'indeterminate', 'indeterminate', false],
    ['indeterminate', 'unregistered', 'indeterminate', false],
    ['content_rejected', 'blacklisted', undefined, true],
  ] as const)('%s after %s, which is stored, failed for %s', async (last, stored, reason, certain) => {
    expect((await endWith(last, stored)).outcome).toMatchObject({ reason, certain });
  });

  test('does not end while another device waits for its next pass', async () => {
    expect(await endWith('unregistered')).toMatchObject({ ended: false, outcome: undefined });
  });
});
