import type { SQSClient } from '@aws-sdk/client-sqs';
import type { ArchiveBucket } from '../../shared/domain/archive/ports.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import type { RootKey, Vault } from '../../shared/domain/core/secrets.ts';
import type { QueuePair } from '../../shared/queues/dead-letters.ts';
import type { QueueName } from '../../shared/queues/queues.ts';
import type { Tables } from '../provisioning/organizations.ts';

/** Both stages, in a local data directory or deployed: the commands are the same. */
export interface Target {
  readonly tables: Tables;
  readonly sqs: SQSClient;
  /** A queue of a stage. Throws an Error for an unknown name. */
  queue(env: Environment, name: QueueName): Promise<QueuePair>;
  /** Whether SQS's StartMessageMoveTask is available; otherwise dead letters are received and sent back in batches. */
  readonly supportsMoveTasks: boolean;
  /** The vault of a root key of a stage. */
  vault(env: Environment, name: RootKey): Promise<Vault>;
  /** Creates the root keys that a stage lacks: a role that only reads could not. */
  createRootKeys(env: Environment): Promise<void>;
  /** The bucket of a stage's archive. Throws an Error if the stage has none. */
  archive(env: Environment): ArchiveBucket;
  close(): Promise<void>;
}
