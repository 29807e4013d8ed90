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

export const ARCHIVER = 'streams/archive';

/** Grants of the archiver: it reads rows and marks those that follow a message, and seals under a root key of its own. */
export const ARCHIVER_GRANTS: RoleGrants = { table: 'write', rootKeys: ['archive'] };

interface Archived {
  readonly environment: Environment;
  readonly streamArn: string;
  readonly keyArn: string;
}

const bucketArn = (scope: Construct, environment: Environment): string =>
  `arn:${Aws.PARTITION}:s3:::${archiveBucketName(scope, environment)}`;

/** What the archiver's role may do beyond its grants: read the stream, add objects to the archive, and tell of batches that failed. */
export const archiverStatements = (
  scope: Construct,
  { environment, streamArn, keyArn }: Archived,
): PolicyStatement[] => {
  const bucket = bucketArn(scope, environment);
  return [
    new PolicyStatement({
      actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'],
      resources: [streamArn],
    }),
    new PolicyStatement({
      actions: ['s3:PutObject'],
      resources: [`${bucket}/${ARCHIVE_PREFIX}*`, `${bucket}/${FAILED_PREFIX}*`],
    }),
    // Asked for by Lambda, which checks that the failed batches' bucket is there.
    new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket] }),
    keyUseByBuckets(scope, keyArn),
  ];
};

/** Which records of the stream start the archiver: rows that DynamoDB deleted, of the partitions that are archived. What is filtered out costs nothing. */
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
 * Feeds the archiver with the table's stream. A batch that fails is repeated, and halved, so that what cannot be archived ends alone; with its whole
 * content, in the bucket, well before the stream forgets it.
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
