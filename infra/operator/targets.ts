import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Environment } from '../../shared/domain/actor.ts';
import type { Vault } from '../../shared/domain/secrets.ts';
import type { QueueName } from '../../shared/queues/queues.ts';
import type { Tables } from './organizations.ts';

/** Where a command works. */
export type Place =
  | { readonly kind: 'local'; readonly dataDir: string }
  | { readonly kind: 'deployed'; readonly stagePrefix: string };

/** A queue and its dead-letter queue, by their addresses. */
export interface QueuePair {
  readonly url: string;
  readonly deadLetterUrl: string;
}

/** Both stages, wherever they are: the same commands work on a data directory and on a deployment. */
export interface Target {
  readonly tables: Tables;
  readonly sqs: SQSClient;
  /** A queue of a stage. Throws an Error when the place has none of that name. */
  queue(env: Environment, name: QueueName): Promise<QueuePair>;
  /** Whether SQS itself moves dead letters back (StartMessageMoveTask); else they are received and sent one by one. */
  readonly movesMessages: boolean;
  /** The stage's vault: the key that seals provider credentials. */
  vault(env: Environment): Promise<Vault>;
  close(): Promise<void>;
}

/** Opens the place for one command. Throws an Error that says what is missing: no such deployment, a directory in use by something else. */
export const openTarget = async (place: Place): Promise<Target> => {
  if (place.kind === 'local') return (await import('./local-target.ts')).openLocal(place.dataDir);
  return (await import('./deployed-target.ts')).openDeployed(place.stagePrefix);
};
