import { Duration, Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption, RedrivePermission } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Environment } from '../../shared/domain/core/actor.ts';
import type { QueueDeclaration } from '../../shared/queues/queues.ts';
import { COMMON, NAMES } from '../stages.ts';

/** A declared queue in a stage. */
export interface QueueWithRedriveProps {
  readonly environment: Environment;
  readonly declaration: QueueDeclaration;
}

/** A declared queue (`shared/queues/queues.ts`) with its dead-letter queue, which accepts messages from it alone. */
export class QueueWithRedrive extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly declaration: QueueDeclaration;

  constructor(scope: Construct, id: string, { environment, declaration }: QueueWithRedriveProps) {
    super(scope, id);
    this.declaration = declaration;
    const queueName = NAMES.queue(environment, declaration.name);
    const safe = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true } as const;
    // By name: the two queues refer to each other, and CloudFormation rejects circular references.
    const source = Queue.fromQueueArn(
      this,
      'Source',
      Stack.of(this).formatArn({ service: 'sqs', resource: queueName }),
    );
    this.deadLetters = new Queue(this, 'DeadLetters', {
      ...safe,
      queueName: `${queueName}-dlq`,
      retentionPeriod: Duration.days(COMMON.deadLetterDays),
      redriveAllowPolicy: { redrivePermission: RedrivePermission.BY_QUEUE, sourceQueues: [source] },
    });
    this.queue = new Queue(this, 'Queue', {
      ...safe,
      queueName,
      visibilityTimeout: Duration.seconds(declaration.visibilitySeconds),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: declaration.maxReceives },
    });
  }

  /** Adds the consumer. With partial batch responses, only the records that failed are redelivered. */
  addConsumer(consumer: LambdaFunction, maxConcurrency: number): void {
    new EventSourceMapping(this, 'Mapping', {
      target: consumer,
      eventSourceArn: this.queue.queueArn,
      batchSize: this.declaration.batchSize,
      maxConcurrency,
      reportBatchItemFailures: true,
    });
  }
}
