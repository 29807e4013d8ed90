import { Metrics } from '@aws-lambda-powertools/metrics';
import { expect, it, vi } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';

Object.assign(process.env, {
  STAGE: 'test',
  TABLE_NAME: 'none',
  LIVE_TABLE_NAME: 'none',
  PUBLIC_URL: 'http://127.0.0.1:9',
});
const { Table } = await import('../../shared/storage/client/table.ts');
const { countOutcomes } = await import('../../shared/wiring/metrics/count-outcomes.ts');
const { logger } = await import('../../shared/wiring/process/observe.ts');

/** An event with a message that has neither an organization nor a status, and a row of another kind. */
const event = {
  shardId: 'shardId-1',
  Records: [
    { dynamodb: { SequenceNumber: '7', NewImage: { pk: { S: 'MSG#msg_1' }, sk: { S: 'MSG' } } } },
    { dynamodb: { SequenceNumber: '8', NewImage: { pk: { S: 'KEY#1' }, sk: { S: 'KEY' } } } },
  ],
};

it('changes that cannot be counted are measured, for the alarm, and logged by shard and number; the batch is not repeated', async () => {
  const logged = vi.spyOn(logger, 'error').mockImplementation(() => {});
  const measured = vi.spyOn(Metrics.prototype, 'addMetric').mockReturnThis();
  const published = vi.spyOn(Metrics.prototype, 'publishStoredMetrics').mockReturnThis();
  expect(await countOutcomes(event)).toEqual({ state: {} });
  expect(measured.mock.calls).toEqual([['UncountedChanges', expect.any(String), 1]]);
  expect(published).toHaveBeenCalledOnce();
  expect(logged).toHaveBeenCalledExactlyOnceWith(expect.any(String), { shardId: 'shardId-1', sequenceNumbers: ['7'] });
});

it('a batch without such changes is neither measured nor logged', async () => {
  const logged = vi.spyOn(logger, 'error').mockImplementation(() => {});
  const measured = vi.spyOn(Metrics.prototype, 'addMetric');
  await countOutcomes({ ...event, Records: event.Records.slice(1) });
  expect(measured).not.toHaveBeenCalled();
  expect(logged).not.toHaveBeenCalled();
});

it('a batch is done only once it is counted: Lambda repeats one whose counting fails', async () => {
  const image = {
    pk: { S: 'MSG#msg_1' },
    sk: { S: 'MSG' },
    direction: { S: 'outbound' },
    org: { S: newId('organization') },
    channel: { S: 'sms' },
    status: { S: 'sent' },
    hold: { S: 'captured' },
    coins: { N: '800' },
    createdAt: { S: '2026-11-26T00:00:00.000Z' },
  };
  const fault = new Error('canary');
  vi.spyOn(Table.prototype, 'get').mockRejectedValue(fault);
  const Records = [{ dynamodb: { SequenceNumber: '9', NewImage: image } }];
  await expect(countOutcomes({ shardId: 'shardId-1', Records })).rejects.toBe(fault);
});
