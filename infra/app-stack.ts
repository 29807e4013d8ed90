import { Aws, CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { OperationContract } from '../shared/contracts/define-operation.ts';
import type { Environment } from '../shared/domain/actor.ts';
import { QUEUE_OF_DUE_KIND, QUEUES, type QueueDeclaration, type QueueName } from '../shared/queues/queues.ts';
import type { ContractName } from '../shared/runtime/problem.ts';
import { AlarmTopic } from './constructs/alarm-topic.ts';
import { Alarms } from './constructs/alarms.ts';
import { StageDashboard } from './constructs/dashboard.ts';
import { FunctionRole } from './constructs/function-role.ts';
import { MACHINERY, type Reach, SENDER, type StageResources, unionOf } from './constructs/grants.ts';
import {
  type CodeSource,
  OperationFunction,
  type OperationFunctionProps,
  pathOfOperation,
} from './constructs/operation-function.ts';
import { QueueWithRedrive } from './constructs/queue-with-redrive.ts';
import { MessagingApi } from './constructs/rest-api.ts';
import { uploadBucketName } from './constructs/upload-bucket.ts';
import type { DataStack } from './data-stack.ts';
import { COMMON, type StageSettings } from './stages.ts';

export interface AppStackProps extends StackProps {
  readonly environment: Environment;
  readonly settings: StageSettings;
  readonly contracts: readonly OperationContract[];
  readonly code: CodeSource;
  readonly data: DataStack;
  /** The live stage's data: its name for all, its volume counters for the stage that prices by them. */
  readonly liveData: DataStack;
  /** The public address of the deployment; without one the stage is reached at the gateway's own. */
  readonly publicUrl?: string;
  readonly alarmEmail?: string;
}

type FunctionSettings = Pick<
  OperationFunctionProps,
  'path' | 'description' | 'role' | 'memoryMb' | 'timeoutSeconds' | 'neverRetried'
> & {
  readonly queues: readonly QueueName[];
};

/** The application of a stage: the APIs, a function per operation, the queues with their consumers, the dispatcher, and what watches them. */
export class AppStack extends Stack {
  /** One per contract, since each has its own words for the gateway's own errors; the edge makes them one address. */
  readonly apis: Readonly<Record<ContractName, MessagingApi>>;
  readonly #props: AppStackProps;
  readonly #queues: Readonly<Record<QueueName, QueueWithRedrive>>;
  /** What the roles of the stage may reach. */
  readonly resources: StageResources;

  constructor(scope: Construct, id: string, props: AppStackProps) {
    super(scope, id, { ...props, suppressTemplateIndentation: true });
    this.#props = props;
    this.#queues = this.createQueues(props.environment);
    this.resources = this.stageResources();
    this.apis = this.createApis(props);
    const called = [this.createAuthorizer(), ...this.createOperations()].map(({ lambda }) => lambda);
    for (const api of Object.values(this.apis)) api.publishAfter(...called);
    this.createConsumers();
    this.createDispatcher();
    this.watch();
    this.writeOutputs();
  }

  private createQueues(environment: Environment): Record<QueueName, QueueWithRedrive> {
    const made = Object.entries<QueueDeclaration>(QUEUES).map(([name, declaration]) => [
      name,
      new QueueWithRedrive(this, `Queue-${name}`, { environment, declaration }),
    ]);
    return Object.fromEntries(made) as Record<QueueName, QueueWithRedrive>;
  }

  private createApis({ environment, settings, contracts }: AppStackProps): Record<ContractName, MessagingApi> {
    const accessLogs = new LogGroup(this, 'AccessLogs', {
      logGroupName: `/messaging/${environment}/access`,
      retention: settings.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const create = (id: string, contract: ContractName, ownsLogRole: boolean) =>
      new MessagingApi(this, id, { environment, settings, contracts, contract, accessLogs, ownsLogRole });
    const reference = create('Api', 'reference', settings.ownsGatewayLogRole);
    const overview = create('OverviewApi', 'overview', false);
    // The gateway's log role of the account comes with the first.
    overview.api.deploymentStage.node.addDependency(reference.api);
    return { reference, overview };
  }

  private stageResources(): StageResources {
    const { environment, data, liveData, settings } = this.#props;
    const arns = Object.entries(this.#queues).map(([name, { queue }]) => [name, queue.queueArn]);
    return {
      environment,
      tableArn: data.table.tableArn,
      keyArn: data.key.keyArn,
      queueArns: Object.fromEntries(arns) as Record<QueueName, string>,
      uploadsArn: `arn:${Aws.PARTITION}:s3:::${uploadBucketName(this, environment)}`,
      sendsForReal: settings.sendsForReal,
      ...(settings.readsLiveVolume
        ? { liveVolume: { tableArn: liveData.table.tableArn, keyArn: liveData.key.keyArn } }
        : {}),
    };
  }

  private role(id: string, description: string, reach: Reach, consumes: readonly string[] = []): FunctionRole {
    return new FunctionRole(this, id, {
      description: `Messaging, ${this.#props.environment}: ${description}.`,
      reach,
      resources: this.resources,
      consumes,
    });
  }

  private get publicUrl(): string {
    return this.#props.publicUrl ?? this.apis.reference.address;
  }

  /** The functions' environment, as `shared/runtime/config.ts` parses it. A function gets the addresses of the queues that it declared. */
  variables(queues: readonly QueueName[]): Record<string, string> {
    const { environment, data, liveData } = this.#props;
    const urls = Object.fromEntries(queues.map((name) => [name, this.#queues[name].queue.queueUrl]));
    return {
      STAGE: environment,
      TABLE_NAME: data.table.tableName,
      LIVE_TABLE_NAME: liveData.table.tableName,
      PUBLIC_URL: this.publicUrl,
      KMS_KEY_ID: data.key.keyId,
      UPLOAD_BUCKET: uploadBucketName(this, environment),
      ...(queues.length > 0 ? { QUEUE_URLS: this.toJsonString(urls) } : {}),
    };
  }

  private createFunction({ queues, ...own }: FunctionSettings): OperationFunction {
    const { environment, settings, code } = this.#props;
    return new OperationFunction(this, `Function-${own.path}`, {
      ...own,
      environment,
      settings,
      code,
      variables: this.variables(queues),
    });
  }

  private createOperations(): OperationFunction[] {
    const { contracts } = this.#props;
    const areas = Map.groupBy(contracts, ({ id }) => id.slice(0, id.indexOf('.')));
    return [...areas].flatMap(([area, operations]) => {
      const role = this.role(`Role-${area}`, `the operations of ${area}`, unionOf(operations.map(({ uses }) => uses)));
      return operations.map((contract) =>
        this.createFunction({
          path: pathOfOperation(contract.id),
          description: `${contract.method} ${contract.path}: ${contract.summary}`,
          role,
          queues: contract.uses.queues ?? [],
          memoryMb: contract.memoryMb ?? COMMON.operation.memoryMb,
          timeoutSeconds: contract.timeoutSeconds ?? COMMON.operation.timeoutSeconds,
        }),
      );
    });
  }

  private createAuthorizer(): OperationFunction {
    const role = this.role('Role-authorizer', 'the authorizer', { table: 'read' });
    return this.createFunction({
      path: 'authorizer',
      description: 'Who calls: reads the credential',
      role,
      queues: [],
      ...COMMON.authorizer,
    });
  }

  private createConsumers(): void {
    for (const made of Object.values(this.#queues)) {
      const { name, consumer, purpose, visibilitySeconds, sends } = made.declaration;
      const reach = {
        ...(sends ? SENDER : MACHINERY),
        ...(name === QUEUE_OF_DUE_KIND.abandon_upload ? { uploads: true as const } : {}),
      };
      const role = this.role(`Role-consumer-${name}`, `the consumer of ${name}`, reach, [made.queue.queueArn]);
      const { lambda } = this.createFunction({
        path: `consumers/${consumer}`,
        description: purpose,
        role,
        queues: MACHINERY.queues ?? [],
        ...COMMON.consumer,
        timeoutSeconds: Math.floor(visibilitySeconds / COMMON.visibilityPerTimeout),
      });
      made.feed(lambda, this.#props.settings.consumerConcurrency);
    }
  }

  private createDispatcher(): void {
    const { everyMinutes, ...limits } = COMMON.dispatcher;
    const dispatcher = this.createFunction({
      path: 'schedules/dispatch',
      description: 'Finds the rows that are due and queues them: what a lost message would have done',
      role: this.role('Role-dispatch', 'the dispatcher', MACHINERY),
      queues: MACHINERY.queues ?? [],
      ...limits,
      neverRetried: true,
    });
    new Rule(this, 'EveryMinute', {
      description: 'Starts the dispatcher.',
      schedule: Schedule.rate(Duration.minutes(everyMinutes)),
      targets: [new LambdaTarget(dispatcher.lambda, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
  }

  private watch(): void {
    const { environment, settings, alarmEmail, data } = this.#props;
    const told = settings.alarmActions
      ? new AlarmTopic(this, 'AlarmTopic', { environment, ...(alarmEmail ? { email: alarmEmail } : {}) })
      : undefined;
    const watched = {
      environment,
      apis: Object.values(this.apis),
      queues: Object.values(this.#queues),
      tableName: data.table.tableName,
    };
    new Alarms(this, 'Alarms', { ...watched, ...(told ? { topic: told.topic } : {}) });
    new StageDashboard(this, 'Overview', watched);
  }

  /** What the operator's command line reads. */
  private writeOutputs(): void {
    const { data, liveData } = this.#props;
    const urlsOf = (pick: (queue: QueueWithRedrive) => string) =>
      this.toJsonString(Object.fromEntries(Object.entries(this.#queues).map(([name, queue]) => [name, pick(queue)])));
    const outputs = {
      TableName: data.table.tableName,
      LiveTableName: liveData.table.tableName,
      KmsKeyId: data.key.keyId,
      QueueUrls: urlsOf(({ queue }) => queue.queueUrl),
      QueueDlqUrls: urlsOf(({ deadLetters }) => deadLetters.queueUrl),
      ApiUrl: this.apis.reference.address,
      OverviewApiUrl: this.apis.overview.address,
      PublicUrl: this.publicUrl,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
