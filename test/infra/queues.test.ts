import { describe, expect, it } from 'vitest';
import { COMMON, NAMES, STAGES } from '../../infra/stages.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { QUEUES, type QueueDeclaration } from '../../shared/queues/queues.ts';
import { deploy, type Piece, resourcesOf, textOf } from './support.ts';

const { apps } = deploy();

describe.each(ENVIRONMENTS)('the queues of stage %s', (environment) => {
  const made = new Map(
    resourcesOf(apps[environment], 'AWS::SQS::Queue').map((queue) => [queue.Properties.QueueName as string, queue]),
  );

  it('are those of the queue table, each with its dead-letter queue', () => {
    const names = Object.keys(QUEUES).flatMap((name) => [
      NAMES.queue(environment, name),
      `${NAMES.queue(environment, name)}-dlq`,
    ]);
    expect([...made.keys()].sort()).toEqual(names.sort());
  });

  it.each(Object.values<QueueDeclaration>(QUEUES))(
    '$name has its own dead-letter queue, which accepts messages from no other',
    (declaration) => {
      const name = NAMES.queue(environment, declaration.name);
      const [queue, deadLetters] = [made.get(name), made.get(`${name}-dlq`)];
      expect(queue?.Properties.VisibilityTimeout).toBe(declaration.visibilitySeconds);
      expect(queue?.Properties.RedrivePolicy).toEqual({
        deadLetterTargetArn: { 'Fn::GetAtt': [deadLetters?.id, 'Arn'] },
        maxReceiveCount: declaration.maxReceives,
      });
      const { redrivePermission, sourceQueueArns } = deadLetters?.Properties.RedriveAllowPolicy ?? {};
      expect(redrivePermission).toBe('byQueue');
      expect(sourceQueueArns.map(textOf)).toEqual([`arn:aws:sqs:sa-east-1:111122223333:${name}`]);
      expect(deadLetters?.Properties.MessageRetentionPeriod).toBe(COMMON.deadLetterDays * 86_400);
    },
  );

  it('are encrypted, and refuse plain http', () => {
    const guarded = resourcesOf(apps[environment], 'AWS::SQS::QueuePolicy').flatMap(({ Properties }) => {
      expect(Properties.PolicyDocument.Statement).toContainEqual(
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      );
      return Properties.Queues.map((queue: Piece) => queue.Ref);
    });
    expect(guarded.sort()).toEqual([...made.values()].map(({ id }) => id).sort());
    for (const { Properties } of made.values()) expect(Properties.SqsManagedSseEnabled).toBe(true);
  });

  it('have one consumer each, which reports failures per record', () => {
    const mappings = resourcesOf(apps[environment], 'AWS::Lambda::EventSourceMapping').filter(
      ({ Properties }) => Properties.ScalingConfig !== undefined,
    );
    expect(mappings).toHaveLength(Object.keys(QUEUES).length);
    for (const declaration of Object.values(QUEUES)) {
      const queue = made.get(NAMES.queue(environment, declaration.name));
      const mapping = mappings.find(({ Properties }) => textOf(Properties.EventSourceArn) === `${queue?.id}.Arn`);
      expect(mapping?.Properties).toMatchObject({
        BatchSize: declaration.batchSize,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: STAGES[environment].consumerConcurrency * declaration.concurrencyFactor },
      });
    }
  });
});
