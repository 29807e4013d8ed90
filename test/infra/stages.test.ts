import type { Stack } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { STAGES } from '../../infra/stages.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { deploy, resourcesOf, templateOf } from './support.ts';

/** A template, with those nested in it, without the name of its stage, also in the ids that carry a hash over that name. */
const nameless = (stack: Stack) =>
  JSON.parse(
    JSON.stringify({ ...templateOf(stack), Resources: resourcesOf(stack) })
      .replaceAll(/\b(?:live|test)\b/g, 'stage')
      .replaceAll(/\b(?:Live|Test)\b/g, 'Stage')
      .replaceAll(/(Stage(?:reference|v1)Deployment(?:Stage)?|EveryMinuteAllowEventRule)[A-Za-z0-9]+/g, '$1'),
  );

const usual = deploy();
const alike = deploy({ stages: { live: STAGES.live, test: STAGES.live } });

describe('the two stages', () => {
  it('differ only by the table of stage settings', () => {
    expect(nameless(alike.apps.test)).toEqual(nameless(alike.apps.live));
    expect(nameless(alike.apis.test)).toEqual(nameless(alike.apis.live));
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
      'Messaging-Live-Api',
      'Messaging-Live-Data',
      'Messaging-Test-Api',
      'Messaging-Test-Data',
      'Messaging-Edge',
      'Messaging-Live-App',
      'Messaging-Test-App',
    ]);
    // `cdk deploy --all` takes the stacks of the main assembly only, so none may lie in a nested one.
    expect(assembly.nestedAssemblies).toEqual([]);
  });
});
