import { describe, expect, it } from 'vitest';
import { ORIGINS } from '../../infra/constructs/edge-router.ts';
import { NAMES } from '../../infra/stages.ts';
import { EDGE_HEADERS, EDGE_VARIABLES } from '../../shared/contracts/edge.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { ENVIRONMENTS, type Environment } from '../../shared/domain/core/actor.ts';
import { CONTRACTS } from '../../shared/runtime/problem.ts';
import { AWS, deploy, distributionOf, type Piece, resourcesOf, synthesize, textOf } from './support.ts';

const contracts = OPERATIONS.slice(0, 3);
const secretOf = (environment: Environment, generation: number) =>
  `{{resolve:secretsmanager:${NAMES.originSecret(environment, generation)}:SecretString:::}}`;

/** The generation that the edge sends, those that a stage accepts, and those that exist, for a number of rotations. */
const generationsOf = (generation: number, environment: Environment) => {
  const { edge, apps, data } = deploy({ contracts, context: { originSecretGeneration: String(generation) } });
  const generationIn = (text: string) => Number(/-origin-(\d+)/.exec(text)?.[1]);
  const origins = distributionOf(edge).Origins.filter(({ Id }: Piece) =>
    CONTRACTS.some((contract) => ORIGINS[contract][environment] === Id),
  );
  const sent = origins.map(({ OriginCustomHeaders }: Piece) => OriginCustomHeaders);
  for (const headers of sent) {
    expect(headers.map(({ HeaderName }: Piece) => HeaderName)).toEqual([EDGE_HEADERS.secret]);
    expect(headers[0].HeaderValue).toBe(secretOf(environment, generationIn(headers[0].HeaderValue)));
  }
  const stages = resourcesOf(apps[environment], 'AWS::ApiGateway::Stage').map(({ Properties }) => Properties.Variables);
  for (const variables of stages) expect(Object.keys(variables).sort()).toEqual(Object.values(EDGE_VARIABLES).sort());
  return {
    sent: new Set(sent.map(([{ HeaderValue }]: Piece) => generationIn(HeaderValue))),
    accepted: stages.map((variables) => Object.values<string>(variables).map(generationIn).sort()),
    kept: resourcesOf(data[environment], 'AWS::SecretsManager::Secret')
      .map(({ Properties }) => generationIn(Properties.Name))
      .sort(),
  };
};

describe.each(ENVIRONMENTS)('the secret of the edge, for stage %s', (environment) => {
  it('is generated, and is in no template', () => {
    for (const { Properties } of resourcesOf(deploy({ contracts }).data[environment], 'AWS::SecretsManager::Secret')) {
      expect(Properties.GenerateSecretString).toMatchObject({ PasswordLength: 48, ExcludePunctuation: true });
      expect(Properties.SecretString).toBeUndefined();
    }
  });

  it('is rotated without a gap: what the edge changes to is accepted by the stage as it was before', () => {
    const [before, after] = [generationsOf(1, environment), generationsOf(2, environment)];
    expect(before).toEqual({
      sent: new Set([1]),
      accepted: [
        [1, 2],
        [1, 2],
      ],
      kept: [1, 2],
    });
    expect(after).toEqual({
      sent: new Set([2]),
      accepted: [
        [2, 3],
        [2, 3],
      ],
      kept: [1, 2, 3],
    });
  });
});

it('a stage changes what it accepts after the edge, and the secrets exist before both', () => {
  const { app } = deploy({ contracts, context: { publicUrl: 'https://edge.example' } });
  const needs = (name: string) =>
    app
      .synth()
      .getStackByName(name)
      .dependencies.map(({ id }) => id);
  for (const environment of ENVIRONMENTS) {
    expect(needs(NAMES.appStack(environment))).toContain(NAMES.edgeStack);
    expect(needs(NAMES.edgeStack)).toContain(NAMES.dataStack(environment));
  }
});

it.each(['0', '1.5', 'two'])('the generation %s is refused with an explanation', (originSecretGeneration) => {
  expect(() => deploy({ contracts, context: { originSecretGeneration } })).toThrow(/whole number from 1/);
});

it('every function requires the edge’s secret, also those of public operations', () => {
  const { apps } = deploy();
  for (const environment of ENVIRONMENTS)
    for (const { id, Properties } of resourcesOf(apps[environment], 'AWS::Lambda::Function'))
      expect(Properties.Environment.Variables.EDGE, id).toBe('secret');
});

describe('the firewall', () => {
  it('protects each gateway as well, and admits only the edge', () => {
    const { apps } = deploy({ contracts, context: { waf: 'true' }, env: AWS });
    for (const environment of ENVIRONMENTS) {
      const [acl] = resourcesOf(apps[environment], 'AWS::WAFv2::WebACL');
      expect(acl?.Properties).toMatchObject({ Scope: 'REGIONAL', DefaultAction: { Block: {} } });
      const searched = acl?.Properties.Rules.map(({ Action, Statement }: Piece) => {
        expect(Action).toEqual({ Allow: {} });
        const { FieldToMatch, PositionalConstraint, SearchString } = Statement.ByteMatchStatement;
        expect([FieldToMatch, PositionalConstraint]).toEqual([
          { SingleHeader: { Name: EDGE_HEADERS.secret } },
          'EXACTLY',
        ]);
        return SearchString;
      });
      expect(searched).toEqual([secretOf(environment, 1), secretOf(environment, 2)]);
      const guarded = resourcesOf(apps[environment], 'AWS::WAFv2::WebACLAssociation').map(({ Properties }) =>
        textOf(Properties.ResourceArn),
      );
      expect(guarded).toHaveLength(CONTRACTS.length);
      for (const arn of guarded) expect(arn).toMatch(/^arn:aws:apigateway:.*::\/restapis\/.*\/stages\//);
    }
  });

  it('is not created by default', () => {
    expect(resourcesOf(deploy({ contracts }).apps.live, 'AWS::WAFv2::WebACL')).toEqual([]);
  });
});

it('a changed route is published: the deployment of an API is named after its routes', () => {
  const deploymentOf = (count: number) =>
    resourcesOf(synthesize({ contracts: OPERATIONS.slice(0, count) }).apps.live, 'AWS::ApiGateway::Deployment')
      .map(({ id }) => id)
      .find((id) => id.startsWith('Stagereference'));
  const name = deploymentOf(3);
  expect(deploymentOf(3)).toBe(name);
  expect(deploymentOf(4)).not.toBe(name);
});
