import { Duration, RemovalPolicy, Tags, Validations } from 'aws-cdk-lib';
import { Architecture, type Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { NAMES, type StageSettings } from '../stages.ts';
import type { FunctionRole } from './function-role.ts';

/** The code asset of a function, by its path under `functions/` (`sms/send`). */
export type CodeSource = (path: string) => Code;

/** The path of an operation's handler under `functions/`: `sms/send` for `sms.send`. */
export const pathOfOperation = (id: string): string => id.replace('.', '/');

export interface OperationFunctionProps {
  readonly environment: Environment;
  readonly settings: StageSettings;
  readonly path: string;
  readonly description: string;
  readonly code: CodeSource;
  readonly role: FunctionRole;
  readonly variables: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  /** For scheduled functions: the next run covers a failed one, so asynchronous retries are off. */
  readonly noRetries?: true;
}

/** A Lambda function and its log group. The role is shared by the functions of an area, to save resources of the stack. */
export class OperationFunction extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, props: OperationFunctionProps) {
    super(scope, id);
    const functionName = NAMES.function(props.environment, props.path);
    if (functionName.length > 64) throw new Error(`The function name ${functionName} is over Lambda's 64 characters.`);
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: props.settings.logRetention,
      // Deleted with the function; a retained group would block the name when the function is created again.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    props.role.allowLogs(logGroup);
    this.lambda = new LambdaFunction(this, 'Function', {
      functionName,
      description: props.description.slice(0, 256),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: props.code(props.path),
      role: props.role,
      logGroup,
      environment: { ...props.variables },
      memorySize: props.memoryMb,
      timeout: Duration.seconds(props.timeoutSeconds),
      ...(props.noRetries ? { retryAttempts: 0, maxEventAge: Duration.minutes(1) } : {}),
    });
    // Cost allocation per stage and area (`sms` of `sms/send`, `consumers` of `consumers/outcome`).
    Tags.of(this).add('messaging:stage', props.environment);
    Tags.of(this).add('messaging:area', props.path.split('/')[0] ?? props.path);
    Validations.of(this.lambda).acknowledge({
      id: 'AwsSolutions-L1',
      reason:
        'Node 24 is the runtime that the service is built and tested on; a newer one is taken by a change of the code, never by itself.',
    });
  }
}
