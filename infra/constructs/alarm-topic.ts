import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Environment } from '../../shared/domain/core/actor.ts';

/** The topic's name, by which stacks that come before it know it. */
export const alarmTopicName = (environment: Environment): string => `messaging-${environment}-alarms`;

/** Who is notified of alarms. */
export interface AlarmTopicProps {
  readonly environment: Environment;
  /** The address to subscribe; without it the topic has no subscription. */
  readonly email?: string;
}

/** The SNS topic of the alarms. Not encrypted with a key of ours: messages name queues and metrics, never personal data. */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { environment, email }: AlarmTopicProps) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', {
      topicName: alarmTopicName(environment),
      displayName: `Messaging ${environment}`,
      enforceSSL: true,
    });
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (email) this.topic.addSubscription(new EmailSubscription(email));
  }
}
