import { ENVIRONMENTS, type Environment } from '../../shared/domain/actor.ts';

/** The two stages that the platform serves. */
export const STAGES = ENVIRONMENTS;
export type Stage = Environment;

/** The prefix of everything that a stage owns, as in the deployment. */
const PREFIX = 'messaging';

export const tableName = (stage: Stage): string => `${PREFIX}-${stage}`;
export const queueName = (stage: Stage, queue: string): string => `${PREFIX}-${stage}-${queue}`;
export const deadLetterName = (stage: Stage, queue: string): string => `${queueName(stage, queue)}-dlq`;

/** The account and the region that local resources carry in their names. */
export const LOCAL_ACCOUNT = '000000000000';
export const LOCAL_REGION = 'us-east-1';

/** What the AWS SDK insists on; the engines on this machine look at none of it. Real values of the caller's own win. */
export const AWS_DEFAULTS: Readonly<Record<string, string>> = {
  AWS_REGION: LOCAL_REGION,
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
};

export interface StageSettings {
  readonly publicUrl: string;
  readonly dynamodbEndpoint: string;
  readonly sqsEndpoint: string;
  readonly keyFile: string;
  readonly queueUrls: Readonly<Record<string, string>>;
}

/** The environment of a stage's functions: the same variables that the deployment sets. */
export const stageEnvironment = (stage: Stage, settings: StageSettings): Record<string, string> => ({
  STAGE: stage,
  TABLE_NAME: tableName(stage),
  LIVE_TABLE_NAME: tableName('live'),
  QUEUE_URLS: JSON.stringify(settings.queueUrls),
  PUBLIC_URL: settings.publicUrl,
  DYNAMODB_ENDPOINT: settings.dynamodbEndpoint,
  SQS_ENDPOINT: settings.sqsEndpoint,
  LOCAL_KEY_FILE: settings.keyFile,
});
