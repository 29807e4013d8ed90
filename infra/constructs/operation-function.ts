import { Duration, RemovalPolicy, Tags, Validations } from 'aws-cdk-lib';
import { Architecture, type Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Environment } from '../../shared/domain/actor.ts';
import { NAMES, type StageSettings } from '../stages.ts';
import type { FunctionRole } from './function-role.ts';

/** Where a function's code comes from: its path under `functions/`, as in `sms/send`. Tests give fabricated folders. */
export type CodeSource = (path: string) => Code;

/** The path of an operation's handler: `sms.send` is `sms/send`. */
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
  /** For work started by a schedule: the next run repeats it, so neither Lambda nor EventBridge does. */
  readonly neverRetried?: true;
}

/** A Lambda function with its log group: two resources, the role is shared by its area. */
export class OperationFunction extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, props: OperationFunctionProps) {
    super(scope, id);
    const functionName = NAMES.function(props.environment, props.path);
    if (functionName.length > 64) throw new Error(`The function name ${functionName} is over Lambda's 64 characters.`);
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: props.settings.logRetention,
      // Logs are a view and never the truth: they go with their function, so that its name is free for the next one.
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
      ...(props.neverRetried ? { retryAttempts: 0, maxEventAge: Duration.minutes(1) } : {}),
    });
    // Costs per stage and area: `sms` of `sms/send`, `consumers` of `consumers/outcome`.
    Tags.of(this).add('messaging:stage', props.environment);
    Tags.of(this).add('messaging:area', props.path.split('/')[0] ?? props.path);
    Validations.of(this.lambda).acknowledge({
      id: 'AwsSolutions-L1',
      reason:
        'Node 24 is the runtime that the service is built and tested on; a newer one is taken by a change of the code, never by itself.',
    });
  }
}
