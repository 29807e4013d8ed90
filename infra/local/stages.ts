import { join } from 'node:path';
import { ENVIRONMENTS, type Environment } from '../../shared/domain/core/actor.ts';

/** The two stages that the local stack serves. */
export const STAGES = ENVIRONMENTS;
export type Stage = Environment;

/** Prefix of the resource names below, which are those of the deployment. */
const PREFIX = 'messaging';

export const tableName = (stage: Stage): string => `${PREFIX}-${stage}`;
export const queueName = (stage: Stage, queue: string): string => `${PREFIX}-${stage}-${queue}`;
export const uploadBucketName = (stage: Stage): string => `${PREFIX}-${stage}-uploads`;
export const deadLetterName = (stage: Stage, queue: string): string => `${queueName(stage, queue)}-dlq`;

/** Account and region in the ARNs of local resources. */
export const LOCAL_ACCOUNT = '000000000000';
export const LOCAL_REGION = 'us-east-1';

/** Required by the AWS SDK; the local engines ignore them. */
export const AWS_DEFAULTS: Readonly<Record<string, string>> = {
  AWS_REGION: LOCAL_REGION,
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
};

/** Any of these means that the user set AWS credentials, for an engine or a provider that checks them. */
const OWN_CREDENTIALS = [
  'AWS_ACCESS_KEY_ID',
  'AWS_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

/** Sets the defaults in `env`, unless the user set values. */
export const defaultAwsSettings = (env: NodeJS.ProcessEnv): void => {
  if (OWN_CREDENTIALS.some((name) => env[name])) env.AWS_REGION ??= LOCAL_REGION;
  else Object.assign(env, { ...AWS_DEFAULTS, ...(env.AWS_REGION ? { AWS_REGION: env.AWS_REGION } : {}) });
};

/** The file of the local master key, which wraps both stages' root keys. */
export const keyFileOf = (dataDir: string): string => join(dataDir, 'master.key');

/** The folder of a stage's archive. */
export const archiveFolder = (dataDir: string, stage: Stage): string => join(dataDir, 'archive', stage);

/** Addresses and files that differ between local stacks. */
export interface StageSettings {
  readonly publicUrl: string;
  readonly dynamodbEndpoint: string;
  readonly sqsEndpoint: string;
  readonly s3Endpoint: string;
  readonly keyFile: string;
  readonly archiveFolder: string;
  readonly queueUrls: Readonly<Record<string, string>>;
}

/** The environment variables of a stage's functions: those of the deployment, and endpoints of the local engines. */
export const stageEnvironment = (stage: Stage, settings: StageSettings): Record<string, string> => ({
  STAGE: stage,
  TABLE_NAME: tableName(stage),
  LIVE_TABLE_NAME: tableName('live'),
  QUEUE_URLS: JSON.stringify(settings.queueUrls),
  DEAD_LETTER_URLS: JSON.stringify(
    Object.fromEntries(Object.entries(settings.queueUrls).map(([name, url]) => [name, `${url}-dlq`])),
  ),
  PUBLIC_URL: settings.publicUrl,
  DYNAMODB_ENDPOINT: settings.dynamodbEndpoint,
  SQS_ENDPOINT: settings.sqsEndpoint,
  S3_ENDPOINT: settings.s3Endpoint,
  UPLOAD_BUCKET: uploadBucketName(stage),
  LOCAL_KEY_FILE: settings.keyFile,
  ARCHIVE_FOLDER: settings.archiveFolder,
  WEBHOOK_LOOPBACK: 'true',
  LOG_SIGN_IN_LINKS: 'true',
});
