import { Duration, Stack, Validations } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Environment } from '../../shared/domain/actor.ts';
import { NAMES, type StageSettings } from '../stages.ts';

export interface UploadBucketProps {
  readonly environment: Environment;
  readonly key: IKey;
  readonly settings: StageSettings;
}

/** The bucket's name, by which the application grants it: a name that is known needs no export between stacks. */
export const uploadBucketName = (scope: Construct, environment: Environment): string =>
  `${NAMES.uploadBucket(environment)}-${Stack.of(scope).account}-${Stack.of(scope).region}`;

/**
 * Where files lie between the caller who puts them and the platform that takes them: an hour at most, by the due work of the table. What
 * that ever misses, such as what is put at an address whose upload was completed, goes by the bucket's own rule after a day.
 */
export class UploadBucket extends Construct {
  constructor(scope: Construct, id: string, { environment, key, settings }: UploadBucketProps) {
    super(scope, id);
    const bucket = new Bucket(this, 'Bucket', {
      bucketName: uploadBucketName(this, environment),
      encryption: BucketEncryption.KMS,
      encryptionKey: key,
      bucketKeyEnabled: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      lifecycleRules: [
        {
          id: 'nothing-stays',
          prefix: 'uploads/',
          expiration: Duration.days(1),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
      removalPolicy: settings.removal,
    });
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'Every address is made for one upload, and that and its completion are in the access log of the gateway; a log of the bucket would need a second bucket and tell nothing more.',
    });
  }
}
