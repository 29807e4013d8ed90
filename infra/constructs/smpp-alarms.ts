import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { alarmTopicName } from './alarm-topic.ts';

interface AlarmRow {
  readonly id: string;
  readonly description: string;
  readonly metric: string;
  readonly operator: ComparisonOperator;
  readonly threshold: number;
  readonly minutes: number;
}

/** By the metrics that each container writes once a minute. */
const ROWS: readonly AlarmRow[] = [
  {
    id: 'smpp-no-carrier-bind',
    description:
      'No bind to the SMPP carrier is open in any process: its messages are refused, or leave by the next provider. The log of the service says why (`carrier bind`).',
    metric: 'CarrierBinds',
    operator: ComparisonOperator.LESS_THAN_THRESHOLD,
    threshold: 1,
    minutes: 3,
  },
  {
    id: 'smpp-refused-binds',
    description:
      'Many binds are refused: a client with a password that was rotated, from an address that its account does not allow, or somebody who guesses.',
    metric: 'SmppRefusedBinds',
    operator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    threshold: 50,
    minutes: 5,
  },
  {
    id: 'smpp-reports-wait',
    description:
      'Reports or replies wait: a client that is bound refuses deliver_sm, or does not answer. They are dropped after 72 h.',
    metric: 'SmppReportsNotTaken',
    operator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    threshold: 10,
    minutes: 30,
  },
];

/** The alarms of the SMPP service of a stage, which notify the stage's topic: by its name, since it is of a stack that comes after. */
export class SmppAlarms extends Construct {
  constructor(scope: Construct, id: string, { environment }: { readonly environment: Environment }) {
    super(scope, id);
    const topicArn = Stack.of(this).formatArn({ service: 'sns', resource: alarmTopicName(environment) });
    const action = new SnsAction(Topic.fromTopicArn(this, 'Topic', topicArn));
    for (const { id: name, description, metric, operator, threshold, minutes } of ROWS)
      new Alarm(this, name, {
        alarmName: `messaging-${environment}-${name}`,
        alarmDescription: description,
        metric: new Metric({
          namespace: 'Messaging',
          metricName: metric,
          dimensionsMap: { service: 'messaging', stage: environment },
          statistic: Stats.SUM,
          period: Duration.minutes(1),
        }),
        threshold,
        comparisonOperator: operator,
        evaluationPeriods: minutes,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      }).addAlarmAction(action);
  }
}
