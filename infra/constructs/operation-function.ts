import { Duration, Tags } from 'aws-cdk-lib';
import { Architecture, type CfnFunction, type Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { NAMES } from '../stages.ts';
import { acknowledge } from './acknowledge.ts';
import type { FunctionRole } from './function-role.ts';

/** The code asset of a function, by its path under `functions/` (`sms/send`). */
export type CodeSource = (path: string) => Code;

/** The path of an operation's handler under `functions/`: `sms/send` for `sms.send`. */
export const pathOfOperation = (id: string): string => id.replace('.', '/');

/** A function by its `path` under `functions/`, and its runtime settings. */
export interface OperationFunctionProps {
  readonly environment: Environment;
  readonly path: string;
  readonly description: string;
  readonly code: CodeSource;
  readonly role: FunctionRole;
  /** Shared by the functions of an area. */
  readonly logGroup: ILogGroup;
  readonly variables: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  /** Reserved concurrency of the function, which is also its maximum; undefined uses the account's unreserved concurrency. */
  readonly reserved?: number | undefined;
  /** X-Ray. The role must allow it (`FunctionRole`). */
  readonly tracing?: boolean;
  /** For scheduled functions: the next run covers a failed one, so asynchronous retries are off. */
  readonly noRetries?: true;
}

/** The area of a path under `functions/`: `sms` of `sms/send`, `consumers` of `consumers/outcome`. */
export const areaOf = (path: string): string => path.split('/')[0] ?? path;

/** A Lambda function: one resource of the stack. Role and log group are those of its area. */
export class OperationFunction extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, props: OperationFunctionProps) {
    super(scope, id);
    const functionName = NAMES.function(props.environment, props.path);
    if (functionName.length > 64) throw new Error(`The function name ${functionName} is over Lambda's 64 characters.`);
    props.role.allowLogs(props.logGroup);
    this.lambda = new LambdaFunction(this, 'Function', {
      functionName,
      description: props.description.slice(0, 256),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: props.code(props.path),
      role: props.role,
      logGroup: props.logGroup,
      environment: { ...props.variables },
      memorySize: props.memoryMb,
      timeout: Duration.seconds(props.timeoutSeconds),
      ...(props.reserved === undefined ? {} : { reservedConcurrentExecutions: props.reserved }),
      ...(props.noRetries ? { retryAttempts: 0, maxEventAge: Duration.minutes(1) } : {}),
    });
    // Not by the property `tracing` of the construct, which would give each role a second policy.
    if (props.tracing) (this.lambda.node.defaultChild as CfnFunction).tracingConfig = { mode: 'Active' };
    // Cost allocation per stage and area.
    Tags.of(this).add('messaging:stage', props.environment);
    Tags.of(this).add('messaging:area', areaOf(props.path));
    acknowledge(this.lambda, {
      'AwsSolutions-L1':
        'Node 24 is the runtime that the service is built and tested on; a newer one is taken by a change of the code, never by itself.',
    });
  }
}
