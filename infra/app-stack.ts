import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { OperationContract } from '../shared/contracts/define-operation.ts';
import type { Environment } from '../shared/domain/core/actor.ts';
import { QUEUE_NAMES, QUEUE_OF_KIND, QUEUES, type QueueDeclaration, type QueueName } from '../shared/queues/queues.ts';
import { CONTRACTS, type ContractName } from '../shared/runtime/problem.ts';
import { AlarmTopic } from './constructs/alarm-topic.ts';
import { Alarms } from './constructs/alarms.ts';
import { ApiStage } from './constructs/api-stage.ts';
import { StageDashboard } from './constructs/dashboard.ts';
import { protectStages } from './constructs/edge-firewall.ts';
import { FunctionRole } from './constructs/function-role.ts';
import {
  BACKGROUND_GRANTS,
  CONSUMER_ROOT_KEYS,
  mergeGrants,
  type RoleGrants,
  SENDER_GRANTS,
  type StageResources,
} from './constructs/grants.ts';
import {
  areaOf,
  type CodeSource,
  OperationFunction,
  type OperationFunctionProps,
  pathOfOperation,
} from './constructs/operation-function.ts';
import { QueueWithRedrive } from './constructs/queue-with-redrive.ts';
import { batchesOf, type Reserved } from './constructs/reserved-concurrency.ts';
import type { MessagingApi } from './constructs/rest-api.ts';
import { ARCHIVER, ARCHIVER_GRANTS, archiverStatements, RowArchiver } from './constructs/row-archiver.ts';
import { unionOf } from './constructs/row-guards.ts';
import { type StageParts, stageResources, stageVariables } from './constructs/stage-resources.ts';
import { COMMON, NAMES } from './stages.ts';

export interface AppStackProps extends StackProps, StageParts {
  readonly contracts: readonly OperationContract[];
  readonly code: CodeSource;
  /** The partitions of the table that each function may write, by its path under `functions/`. */
  readonly partitions: (path: string) => readonly string[];
  readonly apis: Readonly<Record<ContractName, MessagingApi>>;
  /** Of the edge's secret: counts its rotations, from 1. */
  readonly generation: number;
  /** Whether web ACLs are wanted. */
  readonly firewall: boolean;
  /** X-Ray on the gateway and the functions. */
  readonly tracing: boolean;
  readonly reserved: Reserved;
  readonly alarmEmail?: string;
  /** Hosts of browsers' push services beside the known ones, separated by commas. */
  readonly webPushHosts?: string | undefined;
}

type FunctionSettings = Pick<
  OperationFunctionProps,
  'path' | 'description' | 'role' | 'memoryMb' | 'timeoutSeconds' | 'noRetries'
> & {
  readonly queues: readonly QueueName[];
};

interface RoleSettings {
  readonly description: string;
  readonly grants: RoleGrants;
  /** ARNs of the queues that its functions consume. */
  readonly consumes?: readonly string[];
  readonly more?: readonly PolicyStatement[];
}

/** The application of a stage: one function per operation, the published routes, queues with their consumers, dispatcher, alarms and dashboard. */
export class AppStack extends Stack {
  readonly #props: AppStackProps;
  readonly #logGroups = new Map<string, LogGroup>();
  readonly #queues: Readonly<Record<QueueName, QueueWithRedrive>>;
  readonly #resources: StageResources;

  constructor(scope: Construct, id: string, props: AppStackProps) {
    super(scope, id, { ...props, suppressTemplateIndentation: true });
    this.#props = props;
    this.#queues = this.createQueues(props.environment);
    const arns = Object.entries(this.#queues).map(([name, { queue }]) => [name, queue.queueArn]);
    this.#resources = stageResources(this, props, Object.fromEntries(arns) as Record<QueueName, string>);
    const stages = this.createApiStages(props);
    const functions = [this.createAuthorizer(), ...this.createOperations()].map(({ lambda }) => lambda);
    for (const stage of stages) stage.publishAfter(...functions);
    if (props.firewall) protectStages(this, props, stages);
    this.createConsumers();
    this.createDispatcher();
    this.createArchiver();
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

  private createApiStages({ environment, settings, apis, generation, tracing, firewall }: AppStackProps): ApiStage[] {
    const accessLogs = new LogGroup(this, 'AccessLogs', {
      logGroupName: `/messaging/${environment}/access`,
      retention: settings.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    return CONTRACTS.map(
      (name) =>
        new ApiStage(this, `Stage-${name}`, { api: apis[name], settings, accessLogs, generation, tracing, firewall }),
    );
  }

  /** The role of functions, by their paths. */
  private role(id: string, paths: readonly string[], settings: RoleSettings): FunctionRole {
    const { description, grants, consumes = [], more = [] } = settings;
    return new FunctionRole(this, id, {
      description: `Messaging, ${this.#props.environment}: ${description}.`,
      grants: { ...grants, partitions: unionOf(paths.map(this.#props.partitions)) },
      resources: this.#resources,
      consumes,
      more,
      tracing: this.#props.tracing,
    });
  }

  /**
   * The log group of an area. One for all its functions: the name of a stream begins with that of its function, and a group a function would
   * double the resources of the stack. Deleted with the stack; a retained group would block the name when the area is created again.
   */
  private logGroup(area: string): LogGroup {
    const known = this.#logGroups.get(area);
    if (known) return known;
    const { environment, settings } = this.#props;
    const made = new LogGroup(this, `Logs-${area}`, {
      logGroupName: NAMES.functionLogs(environment, area),
      retention: settings.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.#logGroups.set(area, made);
    return made;
  }

  /** The environment variables of a function; `queues` are those that it declared. */
  private variables(queues: readonly QueueName[]): Record<string, string> {
    const urls = Object.fromEntries(queues.map((name) => [name, this.#queues[name].queue.queueUrl]));
    return {
      ...stageVariables(this, this.#props, 'secret'),
      ...(this.#props.webPushHosts === undefined ? {} : { WEB_PUSH_HOSTS: this.#props.webPushHosts }),
      ...(queues.length > 0 ? { QUEUE_URLS: this.toJsonString(urls) } : {}),
    };
  }

  private createFunction({ queues, ...own }: FunctionSettings): OperationFunction {
    const { environment, code, tracing, reserved } = this.#props;
    return new OperationFunction(this, `Function-${own.path}`, {
      ...own,
      environment,
      code,
      tracing,
      reserved: reserved.get(own.path),
      logGroup: this.logGroup(areaOf(own.path)),
      variables: this.variables(queues),
    });
  }

  private createOperations(): OperationFunction[] {
    const { contracts } = this.#props;
    const areas = Map.groupBy(contracts, ({ id }) => id.slice(0, id.indexOf('.')));
    return [...areas].flatMap(([area, operations]) => {
      const paths = operations.map(({ id }) => pathOfOperation(id));
      const grants = mergeGrants(operations.map(({ uses }) => uses));
      const role = this.role(`Role-${area}`, paths, { description: `the operations of ${area}`, grants });
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
    const grants: RoleGrants = { table: 'read', keyUses: true };
    const role = this.role('Role-authorizer', ['authorizer'], { description: 'the authorizer', grants });
    return this.createFunction({
      path: 'authorizer',
      description: 'Authenticates the caller by its credential',
      role,
      queues: [],
      ...COMMON.authorizer,
    });
  }

  private createConsumers(): void {
    for (const name of QUEUE_NAMES) {
      const queue = this.#queues[name];
      const { consumer, purpose, visibilitySeconds, sends } = queue.declaration;
      const grants = {
        ...(sends ? SENDER_GRANTS : BACKGROUND_GRANTS),
        rootKeys: CONSUMER_ROOT_KEYS[name],
        ...(name === QUEUE_OF_KIND.abandon_upload ? { uploads: true as const } : {}),
        ...(name === QUEUE_OF_KIND.check_sender ? { awsProviders: ['ses_identity_state' as const] } : {}),
      };
      const path = `consumers/${consumer}`;
      const role = this.role(`Role-consumer-${name}`, [path], {
        description: `the consumer of ${name}`,
        grants,
        consumes: [queue.queue.queueArn],
      });
      const { lambda } = this.createFunction({
        path,
        description: purpose,
        role,
        queues: BACKGROUND_GRANTS.queues ?? [],
        ...COMMON.consumer,
        timeoutSeconds: Math.floor(visibilitySeconds / COMMON.visibilityPerTimeout),
      });
      // Never more than its function may run: what Lambda received beyond that would be throttled, and end among the dead letters.
      const kept = this.#props.reserved.get(path) ?? Number.POSITIVE_INFINITY;
      queue.addConsumer(lambda, Math.min(batchesOf(this.#props.settings, queue.declaration), kept));
    }
  }

  private createDispatcher(): void {
    const { everyMinutes, slices, ...limits } = COMMON.dispatcher;
    const path = 'schedules/dispatch';
    const dispatcher = this.createFunction({
      path,
      description: 'Queues work items that are overdue, in case their queue message was lost',
      role: this.role('Role-dispatch', [path], { description: 'the dispatcher', grants: BACKGROUND_GRANTS }),
      queues: BACKGROUND_GRANTS.queues ?? [],
      ...limits,
      noRetries: true,
    });
    new Rule(this, 'EveryMinute', {
      description: 'Starts the dispatchers.',
      schedule: Schedule.rate(Duration.minutes(everyMinutes)),
      targets: Array.from({ length: slices }, (_, slice) => {
        const event = RuleTargetInput.fromObject({ slice, of: slices });
        return new LambdaTarget(dispatcher.lambda, { event, retryAttempts: 0, maxEventAge: Duration.minutes(1) });
      }),
    });
  }

  /** Where old rows leave for an archive: the function that takes them there. */
  private createArchiver(): void {
    const { environment, data } = this.#props;
    if (!data.archive) return;
    const archived = { environment, streamArn: data.archive.streamArn, keyArn: data.key.keyArn };
    const more = archiverStatements(this, archived);
    const { memoryMb, timeoutSeconds } = COMMON.archiver;
    const { lambda } = this.createFunction({
      path: ARCHIVER,
      description: 'Takes rows that expired in the table into the archive',
      role: this.role('Role-archiver', [ARCHIVER], { description: 'the archiver', grants: ARCHIVER_GRANTS, more }),
      queues: [],
      memoryMb,
      timeoutSeconds,
    });
    new RowArchiver(this, 'Archiver', { lambda, archived });
  }

  private watch(): void {
    const { environment, settings, alarmEmail, data, apis } = this.#props;
    const resources = {
      environment,
      apis: Object.values(apis),
      queues: Object.values(this.#queues),
      tableName: data.table.tableName,
    };
    new StageDashboard(this, 'Overview', resources);
    if (!settings.alarms) return;
    const { topic } = new AlarmTopic(this, 'AlarmTopic', { environment, ...(alarmEmail ? { email: alarmEmail } : {}) });
    new Alarms(this, 'Alarms', { ...resources, topic });
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
      PublicUrl: this.#props.publicUrl,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
