import { Aws, type Stack } from 'aws-cdk-lib';
import type { Environment } from '../../shared/domain/core/actor.ts';
import type { QueueName } from '../../shared/queues/queues.ts';
import type { DataStack } from '../data-stack.ts';
import type { StageSettings } from '../stages.ts';
import type { StageResources } from './grants.ts';
import { uploadBucketName } from './upload-bucket.ts';

/** The common inputs of everything that runs in a stage. */
export interface StageParts {
  readonly environment: Environment;
  readonly settings: StageSettings;
  readonly data: DataStack;
  /** The live stage's data: every stage has the table's name; only a stage with `readsLiveVolume` may read its volume counters. */
  readonly liveData: DataStack;
  /** The public address of the deployment, without a trailing slash. */
  readonly publicUrl: string;
  /** See `StageResources`. */
  readonly emailFrom?: readonly string[] | undefined;
}

/** The ARNs that roles in `stack` are granted. */
export const stageResources = (
  stack: Stack,
  { environment, settings, data, liveData, emailFrom }: StageParts,
  queueArns: Readonly<Record<QueueName, string>>,
): StageResources => ({
  environment,
  tableArn: data.table.tableArn,
  keyArn: data.key.keyArn,
  queueArns,
  uploadsArn: `arn:${Aws.PARTITION}:s3:::${uploadBucketName(stack, environment)}`,
  sendsForReal: settings.sendsForReal,
  emailFrom,
  ...(settings.readsLiveVolume
    ? { liveVolume: { tableArn: liveData.table.tableArn, keyArn: liveData.key.keyArn } }
    : {}),
});

/** The environment variables of functions and containers in `stack`, as `shared/wiring/process/config.ts` parses them. */
export const stageVariables = (
  stack: Stack,
  { environment, data, liveData, publicUrl }: StageParts,
  edge: 'secret' | 'network',
): Record<string, string> => ({
  STAGE: environment,
  TABLE_NAME: data.table.tableName,
  LIVE_TABLE_NAME: liveData.table.tableName,
  PUBLIC_URL: publicUrl,
  KMS_KEY_ID: data.key.keyId,
  UPLOAD_BUCKET: uploadBucketName(stack, environment),
  ...(data.archive?.afterDays === undefined ? {} : { ARCHIVE_AFTER_DAYS: String(data.archive.afterDays) }),
  ...(data.archive ? { ROWS_EXPIRE: 'true' } : {}),
  EDGE: edge,
});
