import { Duration, Stack } from 'aws-cdk-lib';
import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { alarmTopicName } from './alarm-topic.ts';
import { type AlarmRow, createAlarms, ownMetric } from './alarms.ts';

const { GREATER_THAN_THRESHOLD: OVER, LESS_THAN_THRESHOLD: UNDER } = ComparisonOperator;

/** Widgets for the metrics that each container writes once a minute, and for the account checks. */
const rowsOf = (environment: Environment): readonly AlarmRow[] => [
  {
    id: 'smpp-no-bind',
    description:
      'No account is bound in any container: the load balancer lets nobody in, its certificate is not valid, or no container lives. Or no customer has bound yet.',
    metric: ownMetric(environment, 'SmppBinds'),
    operator: UNDER,
    threshold: 1,
    minutes: 15,
    // A stopped container writes no metrics.
    missing: TreatMissingData.BREACHING,
  },
  {
    id: 'smpp-no-carrier-bind',
    description:
      'No bind to the SMPP carrier is open in any process: its messages are refused, or leave by the next provider. The log of the service says why (`carrier bind`).',
    metric: ownMetric(environment, 'CarrierBinds'),
    operator: UNDER,
    threshold: 1,
    minutes: 3,
  },
  {
    id: 'smpp-refused-binds',
    description:
      'Many binds are refused: a client with a password that was rotated, from an address that its account does not allow, or somebody who guesses.',
    metric: ownMetric(environment, 'SmppRefusedBinds'),
    operator: OVER,
    threshold: 50,
    minutes: 5,
  },
  {
    id: 'smpp-reports-wait',
    description:
      'Reports or replies wait: a client that is bound refuses deliver_sm, or does not answer. They are dropped after 72 h.',
    metric: ownMetric(environment, 'SmppReportsNotTaken'),
    operator: OVER,
    threshold: 10,
    minutes: 30,
  },
  {
    id: 'smpp-no-receiver',
    description:
      'Reports or replies have waited for over an hour for an account that no process delivers them to: it has no receiver or transceiver bound. They are dropped after 72 h. The log of the consumer of the queue send names the account.',
    // Each account is checked once an hour.
    metric: ownMetric(environment, 'SmppAccountsUnheard').with({ period: Duration.hours(2) }),
    operator: OVER,
    threshold: 0,
    minutes: 1,
  },
];

/** The alarms of a stage's SMPP service, which notify the stage's topic: referenced by name, since the topic is in a later stack. */
export class SmppAlarms extends Construct {
  constructor(scope: Construct, id: string, { environment }: { readonly environment: Environment }) {
    super(scope, id);
    const topicArn = Stack.of(this).formatArn({ service: 'sns', resource: alarmTopicName(environment) });
    createAlarms(this, environment, Topic.fromTopicArn(this, 'Topic', topicArn), rowsOf(environment));
  }
}
