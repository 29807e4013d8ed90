import { Metrics } from '@aws-lambda-powertools/metrics';
import { expect, it, vi } from 'vitest';

Object.assign(process.env, {
  STAGE: 'test',
  TABLE_NAME: 'none',
  LIVE_TABLE_NAME: 'none',
  PUBLIC_URL: 'http://127.0.0.1:9',
});
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
  const published = vi.spyOn(Metrics.prototype, 'publishStoredMetrics').mockImplementation(() => {});
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
