import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
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
import {
  BACKGROUND_GRANTS,
  CONSUMER_OBJECTS,
  CONSUMER_ROOT_KEYS,
  type RoleGrants,
  SENDER_GRANTS,
} from './constructs/grants.ts';
import { areaOf, type OperationFunction } from './constructs/operation-function.ts';
import {
  OUTCOME_COUNTER,
  OUTCOME_COUNTER_GRANTS,
  OutcomeCounter,
  streamStatement,
} from './constructs/outcome-counter.ts';
import { QueueWithRedrive } from './constructs/queue-with-redrive.ts';
import { batchesOf } from './constructs/reserved-concurrency.ts';
import type { MessagingApi } from './constructs/rest-api.ts';
import { ARCHIVER, ARCHIVER_GRANTS, archiverStatements, RowArchiver } from './constructs/row-archiver.ts';
import { type FunctionParts, StageFunctions } from './constructs/stage-functions.ts';
import { COMMON } from './stages.ts';

export interface AppStackProps extends StackProps, FunctionParts {
  readonly contracts: readonly OperationContract[];
  readonly apis: Readonly<Record<ContractName, MessagingApi>>;
  /** Of the edge's secret: counts its rotations, from 1. */
  readonly generation: number;
  /** Whether web ACLs are wanted. */
  readonly firewall: boolean;
  readonly alarmEmail?: string;
}

/** The application of a stage: one function per operation, the published routes, queues with their consumers, dispatcher, alarms and dashboard. */
export class AppStack extends Stack {
  readonly #props: AppStackProps;
  readonly #queues: Readonly<Record<QueueName, QueueWithRedrive>>;
  readonly #functions: StageFunctions;

  constructor(scope: Construct, id: string, props: AppStackProps) {
    super(scope, id, { ...props, suppressTemplateIndentation: true });
    this.#props = props;
    this.#queues = this.createQueues(props.environment);
    this.#functions = new StageFunctions(this, props, this.#queues);
    const stages = this.createApiStages(props);
    const functions = [this.createAuthorizer(), ...this.#functions.createOperations(props.contracts)];
    for (const stage of stages) stage.publishAfter(...functions.map(({ lambda }) => lambda));
    if (props.firewall) protectStages(this, props, stages);
    this.createConsumers();
    this.createDispatcher();
    this.createArchiver();
    this.watch(this.createOutcomeCounter());
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

  private createAuthorizer(): OperationFunction {
    const grants: RoleGrants = { table: 'read', keyUses: true };
    const path = 'authorizer';
    const role = this.#functions.role('Role-authorizer', areaOf(path), {
      paths: [path],
      description: 'the authorizer',
      grants,
    });
    return this.#functions.create({
      path,
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
        objects: CONSUMER_OBJECTS[name] ?? [],
        ...(name === QUEUE_OF_KIND.check_sender ? { awsProviders: ['ses_identity_state' as const] } : {}),
      };
      const path = `consumers/${consumer}`;
      const role = this.#functions.role(`Role-consumer-${name}`, areaOf(path), {
        paths: [path],
        description: `the consumer of ${name}`,
        grants,
        consumes: [queue.queue.queueArn],
      });
      const { lambda } = this.#functions.create({
        path,
        description: purpose,
        role,
        queues: BACKGROUND_GRANTS.queues ?? [],
        ...COMMON.consumer,
        timeoutSeconds: Math.floor(visibilitySeconds / COMMON.visibilityPerTimeout),
      });
      // Never more than its function may run: messages that Lambda receives beyond that would be throttled, and end in the dead-letter
      // queue.
      const kept = this.#props.reserved.get(path) ?? Number.POSITIVE_INFINITY;
      queue.addConsumer(lambda, Math.min(batchesOf(this.#props.settings, queue.declaration), kept));
    }
  }

  private createDispatcher(): void {
    const { everyMinutes, slices, ...limits } = COMMON.dispatcher;
    const path = 'schedules/dispatch';
    const access = { paths: [path], description: 'the dispatcher', grants: BACKGROUND_GRANTS };
    const dispatcher = this.#functions.create({
      path,
      description: 'Queues work items that are overdue, in case their queue message was lost',
      role: this.#functions.role('Role-dispatch', areaOf(path), access),
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

  /** Creates the function that moves old rows to the archive, if there is one. */
  private createArchiver(): void {
    const { environment, data } = this.#props;
    if (!data.archive) return;
    const archived = { environment, streamArn: data.archive.streamArn, keyArn: data.key.keyArn };
    const more = archiverStatements(this, archived);
    const { memoryMb, timeoutSeconds } = COMMON.archiver;
    const { lambda } = this.#functions.create({
      path: ARCHIVER,
      description: 'Takes rows that expired in the table into the archive',
      role: this.#functions.role('Role-archiver', areaOf(ARCHIVER), {
        paths: [ARCHIVER],
        description: 'the archiver',
        grants: ARCHIVER_GRANTS,
        more,
      }),
      queues: [],
      memoryMb,
      timeoutSeconds,
    });
    new RowArchiver(this, 'Archiver', { lambda, archived });
  }

  /** The function that counts the outcomes of messages; none for a restored table, which has no stream. */
  private createOutcomeCounter(): OutcomeCounter | undefined {
    const { streamArn } = this.#props.data;
    if (streamArn === undefined) return undefined;
    const { memoryMb, timeoutSeconds } = COMMON.outcomeCounter;
    // With the operation that reads the counts, in a nested stack: the App stack's resources are limited.
    const area = 'metrics';
    const { lambda } = this.#functions.create({
      path: OUTCOME_COUNTER,
      area,
      description: 'Counts the outcomes of messages',
      role: this.#functions.role('Role-outcome-counter', area, {
        paths: [OUTCOME_COUNTER],
        description: 'the counter of the metrics',
        grants: OUTCOME_COUNTER_GRANTS,
        more: [streamStatement(streamArn)],
      }),
      queues: [],
      memoryMb,
      timeoutSeconds,
    });
    return new OutcomeCounter(Stack.of(lambda), 'OutcomeCounter', { lambda, streamArn });
  }

  private watch(counter: OutcomeCounter | undefined): void {
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
    counter?.watch(environment, topic);
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
