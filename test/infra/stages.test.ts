import type { Stack } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { STAGES } from '../../infra/stages.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { deploy, manyContracts, resourcesOf, templateOf } from './support.ts';

/** A template with the name of its stage taken out, also from the ids that carry a hash over that name. */
const nameless = (stack: Stack) =>
  JSON.parse(
    JSON.stringify(templateOf(stack))
      .replaceAll(/\b(?:live|test)\b/g, 'stage')
      .replaceAll(/\b(?:Live|Test)\b/g, 'Stage')
      .replaceAll(/(ApiDeployment(?:Stage)?|EveryMinuteAllowEventRule)[A-Za-z0-9]+/g, '$1'),
  );

const usual = deploy();
const alike = deploy({ stages: { live: STAGES.live, test: STAGES.live } });
const grown = deploy({ contracts: manyContracts(125) });

describe('the two stages', () => {
  it('differ only by the table of stage settings', () => {
    expect(nameless(alike.apps.test)).toEqual(nameless(alike.apps.live));
    expect(nameless(alike.data.test)).toEqual(nameless(alike.data.live));
  });

  it('do differ by that table', () => {
    const { apps, data } = usual;
    expect(nameless(apps.test)).not.toEqual(nameless(apps.live));
    expect(nameless(data.test)).not.toEqual(nameless(data.live));
  });

  it('create the gateway’s log role once per account', () => {
    expect(ENVIRONMENTS.filter((environment) => STAGES[environment].ownsGatewayLogRole)).toHaveLength(1);
  });
});

describe('the stacks', () => {
  it('have stable names, in the order of their creation', () => {
    const assembly = usual.app.synth();
    expect(assembly.stacks.map(({ stackName }) => stackName)).toEqual([
      'Messaging-Live-Data',
      'Messaging-Test-Data',
      'Messaging-Live-App',
      'Messaging-Test-App',
      'Messaging-Edge',
    ]);
    // `cdk deploy --all` takes the stacks of the main assembly only, so none may lie in a nested one.
    expect(assembly.nestedAssemblies).toEqual([]);
  });

  it('stay well below 500 resources and 1 MB per template as the service grows', () => {
    const { apps, edge } = grown;
    for (const stack of [apps.live, apps.test, edge]) {
      const text = JSON.stringify(templateOf(stack));
      expect(resourcesOf(stack).length, stack.stackName).toBeLessThan(420);
      expect(text.length, stack.stackName).toBeLessThan(800_000);
    }
  });

  it('contain two resources for each operation', () => {
    const fewer = deploy({ contracts: manyContracts(121) });
    // Four areas have one operation less; nothing else differs.
    expect(resourcesOf(grown.apps.live).length - resourcesOf(fewer.apps.live).length).toBe(2 * 4);
  });

  it('keep inline policies below 10,240 characters per role', () => {
    const { apps } = deploy({
      contracts: manyContracts(40).map((contract) => ({ ...contract, id: `crm.${contract.id.replace('.', '-')}` })),
      env: { account: '111122223333', region: 'sa-east-1' },
    });
    for (const { Properties } of resourcesOf(apps.test, 'AWS::IAM::Role'))
      expect(JSON.stringify(Properties.Policies ?? []).length).toBeLessThan(10_240);
  });
});
