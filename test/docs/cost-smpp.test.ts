import { describe, expect, test } from 'vitest';
import { countsOf } from '../../infra/local/smpp-service.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { AWS, deploy, resourcesOf } from '../infra/support.ts';
import { cell, tableUnder } from './cost-page.ts';

const HOURS = 24 * 30;
const smppCertificateArn = `arn:aws:acm:${AWS.region}:${AWS.account}:certificate/0123`;
const { smpp } = deploy({
  contracts: OPERATIONS.slice(0, 1),
  env: AWS,
  context: { smppService: 'true', smppCertificateArn },
});
if (!smpp) throw new Error('There is no SMPP service.');
const ofType = (type: string) =>
  ENVIRONMENTS.flatMap((environment) => resourcesOf(smpp[environment], type).map(({ Properties }) => Properties));
const total = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);

const tasks = total(ofType('AWS::ECS::Service').map(({ DesiredCount }) => DesiredCount));
const [task] = ofType('AWS::ECS::TaskDefinition');
const balancers = ofType('AWS::ElasticLoadBalancingV2::LoadBalancer');
/** A policy that tracks a target has an alarm of its own for scaling out, and one for scaling in unless that is disabled. */
const tracked = ofType('AWS::ApplicationAutoScaling::ScalingPolicy').flatMap(
  ({ TargetTrackingScalingPolicyConfiguration: found }) => (found ? [found.DisableScaleIn ? 1 : 2] : []),
);
/** The metrics of a container, in a stage with a carrier and in one without. */
const metrics = [1, undefined].map((carrierBinds) => {
  const counts = { connections: 0, binds: 0, refusedBinds: 0, notTaken: 0, carrierBinds };
  return Object.keys(countsOf({ counts: () => counts })).length;
});

const rows = tableUnder('The SMPP service');
const [lines, sum] = [rows.slice(0, -1), rows.at(-1)];

describe('the cost of the SMPP service in docs/cost.md', () => {
  test('counts what the templates of both stages deploy', () => {
    expect(Object.fromEntries(lines.map((row) => [row[0], cell(row, 1)]))).toEqual({
      'vCPU-hours of Fargate': (tasks * Number(task?.Cpu) * HOURS) / 1_024,
      'GB-hours of Fargate': (tasks * Number(task?.Memory) * HOURS) / 1_024,
      'Hours of load balancers': balancers.length * HOURS,
      'Hours of public addresses': (tasks + total(balancers.map(({ Subnets }) => Subnets.length))) * HOURS,
      'Custom metrics': total(metrics),
      'Metrics under alarms': ofType('AWS::CloudWatch::Alarm').length + total(tracked),
    });
  });

  test('is quantity times price in each line, and sums to its last line', () => {
    const prices = new Map(tableUnder('Prices').map((row) => [row[0], cell(row, 2)]));
    for (const row of lines) {
      const price = prices.get(row[2] ?? '') ?? cell(row, 2);
      expect([row[0], (cell(row, 1) * price).toFixed(2)]).toEqual([row[0], row[3]]);
    }
    expect(total(lines.map((row) => cell(row, 3))).toFixed(2)).toBe(sum?.[3]);
  });
});
