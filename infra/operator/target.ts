import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Environment } from '../../shared/domain/core/actor.ts';
import type { Vault } from '../../shared/domain/core/secrets.ts';
import type { QueueName } from '../../shared/queues/queues.ts';
import type { Tables } from '../provisioning/organizations.ts';

/** URLs of a queue and of its dead-letter queue. */
export interface QueuePair {
  readonly url: string;
  readonly deadLetterUrl: string;
}

/** Both stages, in a local data directory or deployed: the commands are the same. */
export interface Target {
  readonly tables: Tables;
  readonly sqs: SQSClient;
  /** A queue of a stage. Throws an Error when there is none of that name. */
  queue(env: Environment, name: QueueName): Promise<QueuePair>;
  /** Whether SQS's StartMessageMoveTask is available; otherwise dead letters are received and sent back in batches. */
  readonly supportsMoveTasks: boolean;
  /** The stage's vault, which seals provider credentials. */
  vault(env: Environment): Promise<Vault>;
  close(): Promise<void>;
}
