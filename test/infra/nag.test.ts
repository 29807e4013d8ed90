import { Validations } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { AWS, type DeployOptions, deploy, findingsOf, manyContracts, type Piece } from './support.ts';

/** An area that is a nested stack, with what its role names by a pattern. */
const nested = manyContracts(1).map((contract) => ({
  ...contract,
  uses: { ...contract.uses, objects: ['media'] as const, awsProviders: ['ses' as const] },
}));
const VARIANTS: Readonly<Record<string, DeployOptions>> = {
  'any account': {},
  'a known account': { env: AWS },
  'the firewall, a domain and a nested area': {
    contracts: [...OPERATIONS, ...nested],
    env: AWS,
    context: {
      waf: 'true',
      tracing: 'true',
      concurrency: '1000',
      domainName: 'api.example.com',
      certificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/a',
      hostedZoneId: 'Z1',
      hostedZoneName: 'example.com',
      alarmEmail: 'on-call@example.com',
    },
  },
};

describe.each(Object.entries(VARIANTS))('the rules of AWS Solutions, for %s', (_, options) => {
  const { app } = deploy(options);

  it('are met, or their findings are acknowledged next to the construct', () => {
    expect(findingsOf(app)).toEqual([]);
  });

  it('are acknowledged with a reason', () => {
    const reasons = app.node
      .findAll()
      .flatMap((construct) =>
        construct.node.metadata
          .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
          .flatMap(({ data }) => Object.values<Piece>(data)),
      );
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) expect(String(reason).length).toBeGreaterThan(40);
  });
});
