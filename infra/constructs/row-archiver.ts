import { Aws, CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct, type IConstruct } from 'constructs';
import type { Environment } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { COMMON, NAMES } from '../stages.ts';
import { acknowledge } from './acknowledge.ts';
import { ARCHIVE_PREFIX, archiveBucketName, FAILED_PREFIX } from './archive-bucket.ts';
import { nagToken } from './function-role.ts';
import { keyUseByBuckets, type RoleGrants } from './grants.ts';
import { streamStatement } from './outcome-counter.ts';

export const ARCHIVER = 'streams/archive';

/** Grants of the archiver: it reads rows and marks those that follow a message, and seals under its own root key. */
export const ARCHIVER_GRANTS: RoleGrants = { table: 'write', rootKeys: ['archive'] };

interface Archived {
  readonly environment: Environment;
  readonly streamArn: string;
  readonly keyArn: string;
}

const bucketArn = (scope: Construct, environment: Environment): string =>
  `arn:${Aws.PARTITION}:s3:::${archiveBucketName(scope, environment)}`;

/** The archiver's permissions beyond its grants: reading the stream, adding objects to the archive, and recording failed batches. */
export const archiverStatements = (
  scope: Construct,
  { environment, streamArn, keyArn }: Archived,
): PolicyStatement[] => {
  const bucket = bucketArn(scope, environment);
  return [
    streamStatement(streamArn),
    new PolicyStatement({
      actions: ['s3:PutObject'],
      resources: [`${bucket}/${ARCHIVE_PREFIX}*`, `${bucket}/${FAILED_PREFIX}*`],
    }),
    // Required by Lambda, which checks that the failed batches' bucket exists.
    new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket] }),
    keyUseByBuckets(scope, keyArn),
  ];
};

/** The stream records that start the archiver: rows that DynamoDB deleted, of the archived partitions. Filtered records cost nothing. */
const FILTER = {
  eventName: ['REMOVE'],
  userIdentity: { type: ['Service'], principalId: ['dynamodb.amazonaws.com'] },
  dynamodb: {
    Keys: {
      pk: {
        S: [KEYS.message('' as Id<'message'>), KEYS.reply('' as Id<'reply'>)].map(({ pk: prefix }) => ({ prefix })),
      },
    },
  },
};

/**
 * Feeds the archiver with the table's stream. A failed batch is retried and bisected, so that rows that can't be archived are isolated;
 * they are stored with their content in the bucket, well before the stream expires.
 */
export class RowArchiver extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { lambda, archived }: { readonly lambda: LambdaFunction; readonly archived: Archived },
  ) {
    super(scope, id);
    const bucketName = archiveBucketName(this, archived.environment);
    lambda.addEnvironment('ARCHIVE_BUCKET', bucketName);
    // The operator's command line reads it.
    new CfnOutput(Stack.of(this), 'ArchiveBucket', { value: bucketName });
    if (lambda.role) acknowledgeArchive(lambda.role, archived.environment);
    const { batchSize, windowSeconds, retries, recordHours } = COMMON.archiver;
    new CfnEventSourceMapping(this, 'Mapping', {
      functionName: lambda.functionName,
      eventSourceArn: archived.streamArn,
      startingPosition: 'TRIM_HORIZON',
      batchSize,
      maximumBatchingWindowInSeconds: windowSeconds,
      bisectBatchOnFunctionError: true,
      maximumRetryAttempts: retries,
      maximumRecordAgeInSeconds: Duration.hours(recordHours).toSeconds(),
      filterCriteria: { filters: [{ pattern: JSON.stringify(FILTER) }] },
      destinationConfig: { onFailure: { destination: bucketArn(this, archived.environment) } },
    });
  }
}

/** Acknowledges cdk-nag's findings on the prefixes of the bucket. */
const acknowledgeArchive = (role: IConstruct, environment: Environment): void => {
  const { account, region } = Stack.of(role);
  const bucket = `${NAMES.archiveBucket(environment)}-${nagToken(account, 'AccountId')}-${nagToken(region, 'Region')}`;
  for (const prefix of [ARCHIVE_PREFIX, FAILED_PREFIX])
    acknowledge(role, {
      [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::${bucket}/${prefix}*]`]:
        'Objects are named after the batches whose rows they hold, so the grant covers the prefixes of a bucket that exists for them only.',
    });
};
