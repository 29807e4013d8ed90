import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Environment } from '../shared/domain/core/actor.ts';
import { INDEXES, TABLE } from '../shared/storage/table-indexes.ts';
import { ArchiveBucket, type ArchiveSetting, archivedStream } from './constructs/archive-bucket.ts';
import { OriginSecrets } from './constructs/origin-secret.ts';
import { UploadBucket } from './constructs/upload-bucket.ts';
import { NAMES, type StageSettings } from './stages.ts';

export interface DataStackProps extends StackProps {
  readonly environment: Environment;
  readonly settings: StageSettings;
  /** Of the edge's secret: counts its rotations, from 1. */
  readonly generation: number;
  /** A table that the stage uses instead of its own, restored from it (docs/restore.md). The original is kept. */
  readonly restoredTable?: string | undefined;
  /** The origin of the console, where it is known before the edge is: its pages put files into the stage's bucket. */
  readonly consoleOrigin?: string | undefined;
  /** Whether old rows leave for an archive; undefined: never. */
  readonly archive?: ArchiveSetting | undefined;
}

/**
 * The stateful resources of a stage: the table, its KMS key, the upload bucket and the edge's secrets. A separate stack, so that the application stack
 * can be deleted and recreated without touching them.
 */
export class DataStack extends Stack {
  /** The table that the stage uses. */
  readonly table: Pick<ITable, 'tableArn' | 'tableName'>;
  readonly key: Key;
  /** The stream of that table; a restored one has none. */
  readonly streamArn: string | undefined;
  /** The archive for expired rows, if there is one. */
  readonly archive: (ArchiveSetting & { readonly streamArn: string }) | undefined;

  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id, { ...props, terminationProtection: props.settings.deletionProtection });
    const { environment, settings, generation, archive, consoleOrigin } = props;
    this.key = new Key(this, 'Key', {
      alias: `alias/messaging-${environment}`,
      description: `Messaging, ${environment}: seals the table and wraps the root keys of the stage.`,
      enableKeyRotation: true,
      pendingWindow: Duration.days(settings.deletionProtection ? 30 : 7),
      removalPolicy: settings.removal,
    });
    const own = this.createTable(environment, settings);
    // Also while a restored table is in use: CloudFormation removes no export before the stacks that import it have changed.
    for (const value of [own.tableName, own.tableArn, own.tableStreamArn]) this.exportValue(value);
    const { restoredTable } = props;
    this.table = restoredTable === undefined ? own : Table.fromTableName(this, 'RestoredTable', restoredTable);
    this.streamArn = restoredTable === undefined ? own.tableStreamArn : undefined;
    if (archive) new ArchiveBucket(this, 'Archive', { environment, key: this.key, settings });
    this.archive = archive && { ...archive, streamArn: archivedStream(this.streamArn) };
    new UploadBucket(this, 'Uploads', { environment, key: this.key, settings, consoleOrigin });
    new OriginSecrets(this, 'OriginSecrets', { environment, generation });
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
    new CfnOutput(this, 'KmsKeyId', { value: this.key.keyId });
  }

  private createTable(environment: Environment, settings: StageSettings): Table {
    const table = new Table(this, 'Table', {
      tableName: NAMES.table(environment),
      partitionKey: { name: TABLE.partitionKey, type: AttributeType.STRING },
      sortKey: { name: TABLE.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: TABLE.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: this.key,
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: settings.restoreDays,
      },
      deletionProtection: settings.deletionProtection,
      removalPolicy: settings.removal,
      // The metrics count the difference of a message's two images.
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
    });
    this.addIndexes(table);
    return table;
  }

  private addIndexes(table: Table): void {
    for (const [indexName, index] of Object.entries(INDEXES)) {
      // DynamoDB rejects an INCLUDE projection with an empty attribute list.
      const projection =
        index.attributes.length > 0
          ? { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...index.attributes] }
          : { projectionType: ProjectionType.KEYS_ONLY };
      table.addGlobalSecondaryIndex({
        indexName,
        partitionKey: { name: index.partitionKey, type: AttributeType.STRING },
        sortKey: { name: index.sortKey, type: index.sortType === 'N' ? AttributeType.NUMBER : AttributeType.STRING },
        ...projection,
      });
    }
  }
}
