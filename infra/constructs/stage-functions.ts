import { NestedStack, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { QUEUE_NAMES, type QueueName } from '../../shared/queues/queues.ts';
import { APP_AREAS, COMMON, NAMES, SHARED_STACKS } from '../stages.ts';
import { FunctionRole } from './function-role.ts';
import { mergeGrants, type RoleGrants, type StageResources } from './grants.ts';
import {
  areaOf,
  type CodeSource,
  OperationFunction,
  type OperationFunctionProps,
  pathOfOperation,
} from './operation-function.ts';
import type { QueueWithRedrive } from './queue-with-redrive.ts';
import type { Reserved } from './reserved-concurrency.ts';
import { unionOf } from './row-guards.ts';
import { type StageParts, stageResources, stageVariables } from './stage-resources.ts';

/** The inputs of a stage's functions. */
export interface FunctionParts extends StageParts {
  readonly code: CodeSource;
  /** The partitions of the table that each function may write, by its path under `functions/`. */
  readonly partitions: (path: string) => readonly string[];
  /** X-Ray on the gateway and the functions. */
  readonly tracing: boolean;
  readonly reserved: Reserved;
  /** Additional hosts of browsers' push services, separated by commas. */
  readonly webPushHosts?: string | undefined;
}

type Queues = Readonly<Record<QueueName, QueueWithRedrive>>;

type FunctionSettings = Pick<
  OperationFunctionProps,
  'path' | 'description' | 'role' | 'memoryMb' | 'timeoutSeconds' | 'noRetries'
> & {
  readonly queues: readonly QueueName[];
  /** Whether it operates every queue and its dead letters. */
  readonly operates?: boolean;
  /** The area whose stack and log group it shares; default: that of its path. */
  readonly area?: string;
};

interface RoleSettings {
  /** Of its functions. */
  readonly paths: readonly string[];
  readonly description: string;
  readonly grants: RoleGrants;
  /** ARNs of the queues that its functions consume. */
  readonly consumes?: readonly string[];
  /** Additional permissions. */
  readonly more?: readonly PolicyStatement[];
}

/** Where the functions of an area are, and where they log. */
interface Area {
  readonly scope: Construct;
  readonly logGroup: LogGroup;
}

/** Makes the functions of a stage with their roles, each in the stack of its area: that of the application or one nested in it (`APP_AREAS`). */
export class StageFunctions {
  readonly #app: Stack;
  readonly #parts: FunctionParts;
  readonly #queues: Queues;
  readonly #resources: StageResources;
  readonly #areas = new Map<string, Area>();
  readonly #nested = new Map<string, NestedStack>();

  constructor(app: Stack, parts: FunctionParts, queues: Queues) {
    this.#app = app;
    this.#parts = parts;
    this.#queues = queues;
    const arns = Object.entries(queues).map(([name, { queue }]) => [name, queue.queueArn]);
    this.#resources = stageResources(app, parts, Object.fromEntries(arns) as Record<QueueName, string>);
  }

  /** A role of functions of an area. */
  role(id: string, area: string, { paths, description, grants, consumes = [], more = [] }: RoleSettings): FunctionRole {
    const { environment, partitions, tracing } = this.#parts;
    return new FunctionRole(this.area(area).scope, id, {
      description: `Messaging, ${environment}: ${description}.`,
      grants: { ...grants, partitions: unionOf(paths.map(partitions)) },
      resources: this.#resources,
      consumes,
      more,
      tracing,
    });
  }

  /** A function; `queues` are those that it sends to. */
  create({ queues, area, operates = false, ...own }: FunctionSettings): OperationFunction {
    const { environment, code, tracing, reserved } = this.#parts;
    const { scope, logGroup } = this.area(area ?? areaOf(own.path));
    return new OperationFunction(scope, `Function-${own.path}`, {
      ...own,
      environment,
      code,
      tracing,
      reserved: reserved.get(own.path),
      logGroup,
      variables: { ...this.variables(operates ? QUEUE_NAMES : queues), ...(operates ? this.deadLetterUrls() : {}) },
    });
  }

  /** The functions of operations. Those of an area share a role with the union of their declarations. */
  createOperations(contracts: readonly OperationContract[]): OperationFunction[] {
    const areas = Map.groupBy(contracts, ({ id }) => areaOf(pathOfOperation(id)));
    return [...areas].flatMap(([area, operations]) => {
      const paths = operations.map(({ id }) => pathOfOperation(id));
      const grants = mergeGrants(operations.map(({ uses }) => uses));
      const role = this.role(`Role-${area}`, area, { paths, description: `the operations of ${area}`, grants });
      return operations.map((contract) => this.createOperation(contract, role));
    });
  }

  private createOperation(contract: OperationContract, role: FunctionRole): OperationFunction {
    return this.create({
      path: pathOfOperation(contract.id),
      description: `${contract.method} ${contract.path}: ${contract.summary}`,
      role,
      queues: contract.uses.queues ?? [],
      operates: contract.uses.operates ?? false,
      memoryMb: contract.memoryMb ?? COMMON.operation.memoryMb,
      timeoutSeconds: contract.timeoutSeconds ?? COMMON.operation.timeoutSeconds,
    });
  }

  private area(name: string): Area {
    const known = this.#areas.get(name);
    if (known) return known;
    const scope = APP_AREAS.has(name) ? this.#app : this.nestedStack(SHARED_STACKS[name] ?? name);
    const made = { scope, logGroup: this.logGroup(scope, name) };
    this.#areas.set(name, made);
    return made;
  }

  /** Deployed and rolled back with the application, whose published routes depend on it. */
  private nestedStack(area: string): NestedStack {
    const known = this.#nested.get(area);
    if (known) return known;
    const made = new NestedStack(this.#app, `Area-${area}`, {
      description: `Messaging, ${this.#parts.environment}: the functions of ${area}.`,
      suppressTemplateIndentation: true,
    });
    this.#nested.set(area, made);
    return made;
  }

  /**
   * The log group of an area, shared by all its functions: stream names start with the function's name, and a group per function would
   * double the resources of the stack. Deleted with the stack; a retained group would block the name when the area is created again.
   */
  private logGroup(scope: Construct, area: string): LogGroup {
    const { environment, settings } = this.#parts;
    return new LogGroup(scope, `Logs-${area}`, {
      logGroupName: NAMES.functionLogs(environment, area),
      retention: settings.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }

  private deadLetterUrls(): Record<string, string> {
    const urls = QUEUE_NAMES.map((name) => [name, this.#queues[name].deadLetters.queueUrl]);
    return { DEAD_LETTER_URLS: this.#app.toJsonString(Object.fromEntries(urls)) };
  }

  private variables(queues: readonly QueueName[]): Record<string, string> {
    const { webPushHosts } = this.#parts;
    const urls = Object.fromEntries(queues.map((name) => [name, this.#queues[name].queue.queueUrl]));
    return {
      ...stageVariables(this.#app, this.#parts, 'secret'),
      ...(webPushHosts === undefined ? {} : { WEB_PUSH_HOSTS: webPushHosts }),
      ...(queues.length > 0 ? { QUEUE_URLS: this.#app.toJsonString(urls) } : {}),
    };
  }
}
