import { Aws, CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { OperationContract } from '../shared/contracts/define-operation.ts';
import type { Environment } from '../shared/domain/core/actor.ts';
import { QUEUE_OF_KIND, QUEUES, type QueueDeclaration, type QueueName } from '../shared/queues/queues.ts';
import type { ContractName } from '../shared/runtime/problem.ts';
import { AlarmTopic } from './constructs/alarm-topic.ts';
import { Alarms } from './constructs/alarms.ts';
import { StageDashboard } from './constructs/dashboard.ts';
import { FunctionRole } from './constructs/function-role.ts';
import {
  BACKGROUND_GRANTS,
  mergeGrants,
  type RoleGrants,
  SENDER_GRANTS,
  type StageResources,
} from './constructs/grants.ts';
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
  /** The live stage's data: every stage is told the table's name; only a stage with `readsLiveVolume` may read its volume counters. */
  readonly liveData: DataStack;
  /** The public address of the deployment. Default: the address of the stage's own REST API. */
  readonly publicUrl?: string;
  readonly alarmEmail?: string;
  /** See `StageResources`. */
  readonly emailFrom?: readonly string[] | undefined;
}

type FunctionSettings = Pick<
  OperationFunctionProps,
  'path' | 'description' | 'role' | 'memoryMb' | 'timeoutSeconds' | 'noRetries'
> & {
  readonly queues: readonly QueueName[];
};

/** The application of a stage: REST APIs, one function per operation, queues with their consumers, dispatcher, alarms and dashboard. */
export class AppStack extends Stack {
  /** One API per contract, because the gateway's own errors differ in wording; the edge puts both behind one address. */
  readonly apis: Readonly<Record<ContractName, MessagingApi>>;
  readonly #props: AppStackProps;
  readonly #queues: Readonly<Record<QueueName, QueueWithRedrive>>;
  /** The ARNs that the stage's roles are granted. */
  readonly resources: StageResources;

  constructor(scope: Construct, id: string, props: AppStackProps) {
    super(scope, id, { ...props, suppressTemplateIndentation: true });
    this.#props = props;
    this.#queues = this.createQueues(props.environment);
    this.resources = this.stageResources();
    this.apis = this.createApis(props);
    const functions = [this.createAuthorizer(), ...this.createOperations()].map(({ lambda }) => lambda);
    for (const api of Object.values(this.apis)) api.publishAfter(...functions);
    this.createConsumers();
    this.createDispatcher();
    this.watch();
    this.writeOutputs();
  }

  private createQueues(environment: Environment): Record<QueueName, QueueWithRedrive> {
    const queues = Object.entries<QueueDeclaration>(QUEUES).map(([name, declaration]) => [
      name,
      new QueueWithRedrive(this, `Queue-${name}`, { environment, declaration }),
    ]);
    return Object.fromEntries(queues) as Record<QueueName, QueueWithRedrive>;
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
    // Construct id and output name are older than the contract's name; a new id would replace the deployed API.
    const v1 = create('OverviewApi', 'v1', false);
    // The reference API sets the account's log role for API Gateway, without which a stage cannot have an access log.
    v1.api.deploymentStage.node.addDependency(reference.api);
    return { reference, v1 };
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
      emailFrom: this.#props.emailFrom,
      ...(settings.readsLiveVolume
        ? { liveVolume: { tableArn: liveData.table.tableArn, keyArn: liveData.key.keyArn } }
        : {}),
    };
  }

  private role(id: string, description: string, grants: RoleGrants, consumes: readonly string[] = []): FunctionRole {
    return new FunctionRole(this, id, {
      description: `Messaging, ${this.#props.environment}: ${description}.`,
      grants,
      resources: this.resources,
      consumes,
    });
  }

  private get publicUrl(): string {
    return this.#props.publicUrl ?? this.apis.reference.address;
  }

  /** The environment variables of a function, as `shared/wiring/process/config.ts` parses them; `queues` are those that it declared. */
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
      const role = this.role(
        `Role-${area}`,
        `the operations of ${area}`,
        mergeGrants(operations.map(({ uses }) => uses)),
      );
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
      description: 'Authenticates the caller by its credential',
      role,
      queues: [],
      ...COMMON.authorizer,
    });
  }

  private createConsumers(): void {
    for (const queue of Object.values(this.#queues)) {
      const { name, consumer, purpose, visibilitySeconds, sends } = queue.declaration;
      const grants = {
        ...(sends ? SENDER_GRANTS : BACKGROUND_GRANTS),
        ...(name === QUEUE_OF_KIND.abandon_upload ? { uploads: true as const } : {}),
        ...(name === QUEUE_OF_KIND.check_sender ? { awsProviders: ['ses_identity_state' as const] } : {}),
      };
      const role = this.role(`Role-consumer-${name}`, `the consumer of ${name}`, grants, [queue.queue.queueArn]);
      const { lambda } = this.createFunction({
        path: `consumers/${consumer}`,
        description: purpose,
        role,
        queues: BACKGROUND_GRANTS.queues ?? [],
        ...COMMON.consumer,
        timeoutSeconds: Math.floor(visibilitySeconds / COMMON.visibilityPerTimeout),
      });
      queue.addConsumer(lambda, this.#props.settings.consumerConcurrency);
    }
  }

  private createDispatcher(): void {
    const { everyMinutes, ...limits } = COMMON.dispatcher;
    const dispatcher = this.createFunction({
      path: 'schedules/dispatch',
      description: 'Queues work items that are overdue, in case their queue message was lost',
      role: this.role('Role-dispatch', 'the dispatcher', BACKGROUND_GRANTS),
      queues: BACKGROUND_GRANTS.queues ?? [],
      ...limits,
      noRetries: true,
    });
    new Rule(this, 'EveryMinute', {
      description: 'Starts the dispatcher.',
      schedule: Schedule.rate(Duration.minutes(everyMinutes)),
      targets: [new LambdaTarget(dispatcher.lambda, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
  }

  private watch(): void {
    const { environment, settings, alarmEmail, data } = this.#props;
    const alarmTopic = settings.alarmActions
      ? new AlarmTopic(this, 'AlarmTopic', { environment, ...(alarmEmail ? { email: alarmEmail } : {}) })
      : undefined;
    const resources = {
      environment,
      apis: Object.values(this.apis),
      queues: Object.values(this.#queues),
      tableName: data.table.tableName,
    };
    new Alarms(this, 'Alarms', { ...resources, ...(alarmTopic ? { topic: alarmTopic.topic } : {}) });
    new StageDashboard(this, 'Overview', resources);
  }

  /** Stack outputs; the operator's command line reads them (`infra/operator/deployed-target.ts`). */
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
      OverviewApiUrl: this.apis.v1.address,
      PublicUrl: this.publicUrl,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
