import { describe, expect, test } from 'vitest';
import type { WhatsappTemplate } from '../../../shared/domain/channels/whatsapp/templates/template.ts';
import { type Id, newId } from '../../../shared/domain/core/ids.ts';
import {
  type CheckMoment,
  checkReferences,
  type ReferencePorts,
} from '../../../shared/domain/journeys/check-references.ts';
import type { JourneyDefinition, WireConfigs } from '../../../shared/domain/journeys/definition.ts';
import type { Pipeline } from '../../../shared/domain/pipelines/pipeline.ts';
import type { PriceTable } from '../../../shared/domain/pricing/prices.ts';
import { definition, passo } from '../../support/journeys/build.ts';

const ids = { pipeline: newId('pipeline'), stage: newId('stage'), list: newId('list'), segment: newId('segment') };
const tenant = { organizationId: newId('organization'), env: 'live' } as const;
const template = (status: WhatsappTemplate['status']) => ({ status }) as WhatsappTemplate;

const PRICES: PriceTable = [{ channel: 'sms', route: 'premium', unit: 'segment', bands: [{ upTo: null, coins: 800 }] }];
/** An organization that has everything; lookups are recorded. */
const everything = (lookedUp: string[] = []): ReferencePorts => {
  const found =
    <T>(what: string, value: T) =>
    async (_: unknown, name?: unknown) => {
      lookedUp.push(`${what} ${String(name)}`);
      return value;
    };
  const pipeline: Pipeline = {
    id: newId('pipeline'),
    organizationId: newId('organization'),
    env: 'test',
    name: 'Vendas',
    type: 'vendas',
    archived: false,
    stages: [{ id: ids.stage, key: 'a', name: 'Um', type: 'aberto', requiredFields: [] }],
    stageKeys: 1,
    createdAt: 0,
    updatedAt: 0,
    version: 1,
  };
  return {
    lists: { read: found('list', {}) as ReferencePorts['lists']['read'] },
    segments: { read: found('segment', {}) as ReferencePorts['segments']['read'] },
    pipelines: { read: found('pipeline', pipeline) },
    templates: {
      read: found('template', template('approved')),
      named: found('template', [template('rejected'), template('approved')]),
    },
    emailTemplates: {
      read: found('email template', {}) as ReferencePorts['emailTemplates']['read'],
      named: found('email template', newId('emailTemplate')),
    },
    numbers: { page: async () => ({ items: [], total: 1 }) },
    pushApps: { list: async () => [{}] as never },
    prices: async () => PRICES,
    hasEmailSender: async () => true,
  };
};
const nothing: ReferencePorts = {
  lists: { read: async () => undefined },
  segments: { read: async () => undefined },
  pipelines: { read: async () => undefined },
  templates: { read: async () => undefined, named: async () => [] },
  emailTemplates: { read: async () => undefined, named: async () => undefined },
  numbers: { page: async () => ({ items: [], total: 0 }) },
  pushApps: { list: async () => [] },
  prices: async () => PRICES,
  hasEmailSender: async () => false,
};

const sends = (...configs: WireConfigs['enviar'][]) =>
  definition(
    configs.map((config, at) => passo('enviar', config, `p${at}`)),
    [],
  );
const faults = async (ports: ReferencePorts, of: JourneyDefinition, moment: CheckMoment = 'saving') => {
  const refused = await checkReferences(ports)(tenant, of, moment);
  return refused?.details.errors?.map(({ path, message }) => `${path} ${message}`) ?? [];
};
const move = (pipelineId: Id<'pipeline'>, estagioId: Id<'stage'>) =>
  definition([passo('mover_cartao', { pipelineId, estagioId })], []);
const withTrigger = (gatilho: JourneyDefinition['gatilho']) => definition([passo('sair', {})], [], { gatilho });

describe('the references of a journey', () => {
  test.each([
    [withTrigger({ tipo: 'lista', listId: ids.list }), 'gatilho.listId is not a list of the organization'],
    [
      withTrigger({ tipo: 'segmento', segmentId: ids.segment }),
      'gatilho.segmentId is not a segment of the organization',
    ],
    [move(ids.pipeline, ids.stage), 'passos.0.config.pipelineId is not a pipeline of the organization'],
    [sends({ canal: 'whatsapp', template: 'oi' }), 'passos.0.config.template is not a template of the organization'],
    [
      sends({ canal: 'sms', template: newId('template') }),
      'passos.0.config.template is not a template of the organization',
    ],
    [
      sends({ canal: 'email', template: 'oi' }),
      'passos.0.config.template is not an e-mail template of the organization',
    ],
    [
      sends({ canal: 'email', template: newId('emailTemplate') }),
      'passos.0.config.template is not an e-mail template of the organization',
    ],
  ])('are refused by path if missing, and accepted if they exist', async (of, fault) => {
    expect(await faults(nothing, of)).toEqual([fault]);
    expect(await faults(everything(), of)).toEqual([]);
  });

  test('has routes that have a price, since a send on any other is refused for everybody', async () => {
    const of = sends(
      { canal: 'sms', texto: 'Oi', rota: 'premium' },
      { canal: 'sms', texto: 'Oi', rota: 'la_dedicada' },
    );
    for (const moment of ['saving', 'activation'] as const)
      expect(await faults(everything(), of, moment)).toEqual([
        'passos.1.config.rota has no price: it is quoted on request',
      ]);
  });

  test('has a stage of the pipeline that it names', async () => {
    expect(await faults(everything(), move(ids.pipeline, newId('stage')))).toEqual([
      'passos.0.config.estagioId is not a stage of the pipeline',
    ]);
  });

  test('are looked up once, however often they are named', async () => {
    const lookedUp: string[] = [];
    const again = { canal: 'whatsapp', template: 'oi' } as const;
    await faults(everything(lookedUp), sends(again, again, { canal: 'sms', template: 'oi' }));
    expect(lookedUp).toEqual(['template oi']);
  });
});

describe('an activation', () => {
  test('wants a template that is approved in one language at least; saving does not', async () => {
    const pending = { ...everything(), templates: { ...nothing.templates, named: async () => [template('pending')] } };
    const of = sends({ canal: 'whatsapp', template: 'oi' });
    expect(await faults(pending, of, 'activation')).toEqual(['passos.0.config.template must be approved by Meta']);
    expect(await faults(pending, of, 'saving')).toEqual([]);
    expect(await faults(everything(), of, 'activation')).toEqual([]);
  });

  test('wants a number, an app and a sender for the channels of sends and fallbacks; saving does not', async () => {
    const of = sends(
      { canal: 'sms', texto: 'Oi', fallback: ['whatsapp', { channel: 'push', text: 'Oi' }] },
      { canal: 'email', html: 'Oi' },
    );
    expect((await faults(nothing, of, 'activation')).toSorted()).toEqual([
      'passos.0.config.fallback.0 needs a connected WhatsApp number',
      'passos.0.config.fallback.1.channel needs a push app',
      'passos.1.config.canal needs a verified sender',
    ]);
    expect(await faults(nothing, of, 'saving')).toEqual([]);
    expect(await faults(everything(), of, 'activation')).toEqual([]);
  });

  test('accepts a connected or flagged number, and no other status', async () => {
    const requested: unknown[] = [];
    const numbers: ReferencePorts['numbers'] = {
      page: async (_, filter) => {
        requested.push(filter.status);
        return { items: [], total: filter.status === 'flagged' ? 1 : 0 };
      },
    };
    const of = sends({ canal: 'whatsapp', texto: 'Oi' });
    expect(await faults({ ...nothing, numbers }, of, 'activation')).toEqual([]);
    expect(requested.toSorted()).toEqual(['connected', 'flagged']);
  });
});
