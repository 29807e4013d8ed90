import { describe, expect, test } from 'vitest';
import { CreateJourney } from '../../../shared/contracts/journey-fields.ts';
import { newId } from '../../../shared/domain/core/ids.ts';
import { jsonBytes } from '../../../shared/domain/core/json-bytes.ts';
import type { JourneyDefinition, WireConfigs, WireStep } from '../../../shared/domain/journeys/definition.ts';
import { referencesOf } from '../../../shared/domain/journeys/references.ts';
import { journeyFaults, journeyRefusal } from '../../../shared/domain/journeys/validate.ts';
import { definition, passo } from '../../support/journeys/build.ts';

const POLICY = { allowLoopbackHttp: false };
const SMS = { canal: 'sms', texto: 'Olá' } as const;
const paths = (of: JourneyDefinition) => journeyFaults(of, POLICY).map(({ path }) => path);
const vip = { filterTree: { kind: 'leaf', filter: { field: 'tag', operator: 'is', value: 'vip' } } } as const;
const halves = {
  ramos: [
    { nome: 'A', peso: 50 },
    { nome: 'B', peso: 50 },
  ],
};
const end = passo('sair', {});

describe('a definition', () => {
  test('without errors is accepted', () => {
    const good = definition(
      [
        passo('enviar', SMS),
        passo('esperar_evento', { passo: 'enviar', status: 'lida', prazo: { horas: 2 } }),
        passo('divisao', halves),
        passo('condicao', vip),
        end,
      ],
      [
        'enviar > esperar_evento',
        'esperar_evento evento> divisao',
        'esperar_evento tempo_esgotado> enviar',
        'divisao ramo:A> condicao',
        'divisao ramo:B> sair',
        'condicao sim> sair',
      ],
    );
    expect(journeyRefusal(good, POLICY)).toBeUndefined();
  });

  test('is refused with all of its errors, by path', () => {
    const bad = definition(
      [passo('enviar', { ...SMS, html: '<p>' }), passo('esperar', { horas: 1 }), passo('esperar', { horas: 1 }), end],
      ['enviar > nenhum', 'outro > sair', 'enviar sim> esperar', 'sair > esperar'],
      { gatilho: { tipo: 'lista' }, intervaloReentradaHoras: 3 },
    );
    const refusal = journeyRefusal(bad, POLICY);
    expect(refusal?.name).toBe('VALIDATION_ERROR');
    expect(refusal?.details.errors?.map(({ path }) => path)).toEqual([
      'gatilho.listId',
      'intervaloReentradaHoras',
      'passos.0.config.html',
      'passos.2.chave',
      'ligacoes.0.para',
      'ligacoes.1.de',
      'ligacoes.2.quando',
      'ligacoes.3.quando',
      'passos.3',
    ]);
  });

  test('of more than 1,000,000 bytes of steps and links is refused, and of exactly as many accepted', () => {
    const sized = (bytes: number) => {
      const of = definition([passo('enviar', { canal: 'email', assunto: 'Oi', html: '' })], []);
      const left = bytes - jsonBytes({ passos: of.passos, ligacoes: of.ligacoes });
      return definition([passo('enviar', { canal: 'email', assunto: 'Oi', html: 'x'.repeat(left) })], []);
    };
    expect(paths(sized(1_000_000))).toEqual([]);
    expect(paths(sized(1_000_001))).toEqual(['passos']);
  });

  test('reports at most a hundred faults', () => {
    const steps = Array.from({ length: 150 }, (_, at) => passo('sair', {}, `p${at}`));
    expect(paths(definition(steps, []))).toHaveLength(100);
  });
});

describe('a trigger', () => {
  const listId = newId('list');
  const segmentId = newId('segment');
  test.each([
    [{ tipo: 'lista', listId }, []],
    [{ tipo: 'lista' }, ['gatilho.listId']],
    [{ tipo: 'lista', listId, nome: 'x' }, ['gatilho.nome']],
    [{ tipo: 'segmento', segmentId }, []],
    [{ tipo: 'segmento', listId }, ['gatilho.listId', 'gatilho.segmentId']],
    [{ tipo: 'evento', nome: 'compra' }, []],
    [{ tipo: 'evento' }, ['gatilho.nome']],
    [{ tipo: 'mensagem' }, []],
    [{ tipo: 'mensagem', nome: 'quero' }, []],
    [{ tipo: 'mensagem', nome: 'C++' }, []],
    [{ tipo: 'mensagem', nome: ' ?! ' }, ['gatilho.nome']],
    [{ tipo: 'etiqueta' }, ['gatilho.nome']],
    [{ tipo: 'etiqueta', nome: 'x'.repeat(64) }, []],
    [{ tipo: 'etiqueta', nome: 'x'.repeat(65) }, ['gatilho.nome']],
    [{ tipo: 'manual', nome: 'x' }, ['gatilho.nome']],
  ] as const)('%j has what its kind needs, and nothing else', (gatilho, wrong) => {
    expect(paths(definition([end], [], { gatilho }))).toEqual(wrong);
  });
});

describe('a message', () => {
  test.each<[WireConfigs['enviar'], string[]]>([
    [{ canal: 'email', texto: 'Oi' }, []],
    [{ canal: 'email', html: '<p>Oi</p>' }, ['assunto']],
    [{ canal: 'email', texto: 'Oi', transacional: true }, ['assunto']],
    [{ canal: 'email', template: 'oi', transacional: true }, []],
    [{ canal: 'email', html: '<p>Oi</p>', assunto: 'Oi' }, []],
    [{ ...SMS, fallbackApos: '30s' }, ['fallbackApos']],
    [{ ...SMS, fallback: ['rcs'], fallbackApos: '30s' }, []],
  ])('%j has what a send of it would be refused without', (config, wrong) => {
    expect(paths(definition([passo('enviar', config)], []))).toEqual(wrong.map((field) => `passos.0.config.${field}`));
  });
});

describe('links', () => {
  test.each<[string, WireStep, string[], string[]]>([
    ['an outcome that the kind does not have', passo('enviar', SMS, 'a'), ['a sim> sair'], ['ligacoes.0.quando']],
    ['padrao of a condicao', passo('condicao', vip, 'a'), ['a > sair'], ['ligacoes.0.quando']],
    ['ramo of a condicao', passo('condicao', vip, 'a'), ['a ramo:A> sair'], ['ligacoes.0.quando']],
    ['a second one without a label', passo('enviar', SMS, 'a'), ['a > sair', 'a > sair'], ['ligacoes.1.quando']],
    ['a second one that says padrao', passo('enviar', SMS, 'a'), ['a > sair', 'a padrao> sair'], ['ligacoes.1.quando']],
    [
      'a second one of the same outcome',
      passo('condicao', vip, 'a'),
      ['a sim> sair', 'a sim> sair'],
      ['ligacoes.1.quando'],
    ],
    ['two outcomes to one step', passo('condicao', vip, 'a'), ['a sim> sair', 'a nao> sair'], []],
    [
      'a branch that there is not',
      passo('divisao', halves, 'a'),
      ['a ramo:A> sair', 'a ramo:C> sair'],
      ['ligacoes.1.ramo'],
    ],
    [
      'a branch without its name',
      passo('divisao', halves, 'a'),
      ['a ramo> sair', 'a ramo:A> sair'],
      ['ligacoes.0.ramo'],
    ],
    [
      'a second one of the same branch',
      passo('divisao', halves, 'a'),
      ['a ramo:A> sair', 'a ramo:A> sair'],
      ['ligacoes.1.ramo'],
    ],
    ['a branch of a step that has none', passo('enviar', SMS, 'a'), ['a padrao:A> sair'], ['ligacoes.0.ramo']],
  ])('with %s', (_, step, links, wrong) => {
    expect(paths(definition([step, end], links))).toEqual(wrong);
  });
});

describe('a cycle', () => {
  const tag = passo('etiqueta', { adicionar: 'x' }, 'a');
  const read = passo('esperar_evento', { passo: 'enviar', status: 'lida', prazo: { horas: 1 } }, 'lida');
  test.each<[string, WireStep[], string[], string[]]>([
    ['without a wait', [tag, passo('condicao', vip, 'b')], ['a > b', 'b sim> a'], ['ligacoes.1.para']],
    ['of one step', [tag], ['a > a'], ['ligacoes.0.para']],
    ['with a wait', [tag, passo('esperar', { minutos: 1 }, 'b')], ['a > b', 'b > a'], []],
    ['with a wait for a time of day', [tag, passo('esperar', { ate: { hora: '09:00' } }, 'b')], ['a > b', 'b > a'], []],
    [
      'with a wait for a day, which is once',
      [tag, passo('esperar', { ate: { hora: '09:00', data: '2026-12-24' } }, 'b')],
      ['a > b', 'b > a'],
      ['ligacoes.1.para'],
    ],
    [
      'with a wait for an event',
      [passo('esperar_evento', { evento: 'x', prazo: { horas: 1 } }, 'b')],
      ['b evento> b', 'b tempo_esgotado> b'],
      [],
    ],
    [
      'with the wait on another way',
      [tag, passo('condicao', vip, 'b'), passo('esperar', { horas: 1 }, 'c')],
      ['a > b', 'b sim> a', 'b nao> c', 'c > a'],
      ['ligacoes.1.para'],
    ],
    [
      'around a message that is read, without sending it again',
      [passo('enviar', SMS), read, tag],
      ['enviar > lida', 'lida evento> a', 'a > lida'],
      ['ligacoes.1.para'],
    ],
    [
      'around a message that is read, and sent again',
      [passo('enviar', SMS), read],
      ['enviar > lida', 'lida evento> enviar'],
      [],
    ],
    [
      'around a message that is not read in time',
      [passo('enviar', SMS), read, tag],
      ['enviar > lida', 'lida tempo_esgotado> a', 'a > lida'],
      [],
    ],
  ])('%s', (_, steps, links, wrong) => {
    expect(paths(definition(steps, links))).toEqual(wrong);
  });
});

describe('a step', () => {
  const wrong = (...steps: WireStep[]) =>
    paths(
      definition(
        steps,
        steps.slice(1).map(({ chave }, at) => `${steps[at]?.chave} > ${chave}`),
      ),
    );

  test('that no link reaches is refused', () => {
    expect(
      paths(
        definition([passo('enviar', SMS), end, passo('esperar', { horas: 1 })], ['enviar > sair', 'esperar > sair']),
      ),
    ).toEqual(['passos.2']);
  });

  test('can only check a step that sends, and that runs reach before it', () => {
    const asks = (key: string) => passo('condicao', { passo: key, status: 'lida' }, 'pergunta');
    expect(wrong(passo('enviar', SMS), asks('enviar'))).toEqual([]);
    expect(wrong(passo('esperar', { horas: 1 }), asks('esperar'))).toEqual(['passos.1.config.passo']);
    expect(wrong(asks('nenhum'))).toEqual(['passos.0.config.passo']);
    const later = definition([asks('enviar'), passo('enviar', SMS)], ['pergunta sim> enviar']);
    expect(paths(later)).toEqual(['passos.0.config.passo']);
  });

  test('that sends has what its channel has', () => {
    const sends = (config: object) => wrong(passo('enviar', { ...SMS, ...config }));
    expect(sends({ rota: 'otp' })).toEqual([]);
    expect(sends({ rota: 'easy_rcs' })).toEqual(['passos.0.config.rota']);
    expect(sends({ assunto: 'Oi', html: '<p>', transacional: true })).toEqual(
      ['assunto', 'html', 'transacional'].map((field) => `passos.0.config.${field}`),
    );
    expect(sends({ canal: 'email', assunto: 'Oi', html: '<p>', transacional: true })).toEqual([]);
    expect(sends({ canal: 'email', rota: 'premium' })).toEqual(['passos.0.config.rota']);
  });

  test('has texts whose placeholders can be filled', () => {
    const broken = '{{contato.nome';
    expect(
      wrong(
        passo('enviar', {
          canal: 'email',
          texto: broken,
          html: '{{lua.x}}',
          assunto: '{{contato}}',
          variaveis: { a: broken },
          fallback: ['sms', { channel: 'sms', text: broken }],
        }),
      ),
    ).toEqual([
      'passos.0.config.texto',
      'passos.0.config.variaveis.a',
      'passos.0.config.assunto',
      'passos.0.config.html',
      'passos.0.config.fallback.1.text',
    ]);
  });

  test('has conditions that are filters, by their own place', () => {
    const leaf = { kind: 'leaf', filter: { field: 'tag', operator: 'gt', value: 'x' } } as const;
    const tree = { kind: 'group', operator: 'and', nodes: [vip.filterTree, leaf] } as const;
    expect(wrong(passo('condicao', { filterTree: tree }))).toEqual([
      'passos.0.config.filterTree.nodes.1.filter.operator',
    ]);
  });

  test('has branches with names of their own, and a webhook an address and headers that are allowed', () => {
    const twice = {
      ramos: [
        { nome: 'A', peso: 50 },
        { nome: 'A', peso: 50 },
      ],
    };
    expect(wrong(passo('divisao', twice))).toEqual(['passos.0.config.ramos.1.nome']);
    expect(
      wrong(passo('webhook', { url: 'http://10.0.0.1/', cabecalhos: [{ key: 'webhook-id', value: 'x' }] })),
    ).toEqual(['passos.0.config.url', 'passos.0.config.cabecalhos']);
  });
});

test('external references of a definition are listed with their paths, a template once for all channels that share it', () => {
  const [pipelineId, estagioId, listId] = [newId('pipeline'), newId('stage'), newId('list')];
  const of = definition(
    [
      passo('enviar', {
        canal: 'whatsapp',
        template: 'boas_vindas',
        fallback: ['whatsapp', 'sms', { channel: 'email', template: 'etpl' }, { channel: 'push', text: 'Oi' }],
      }),
      passo('mover_cartao', { pipelineId, estagioId }),
    ],
    ['enviar > mover_cartao'],
    { gatilho: { tipo: 'lista', listId } },
  );
  expect(referencesOf(of)).toEqual([
    { kind: 'list', id: listId, path: 'gatilho.listId' },
    { kind: 'template', channel: 'whatsapp', name: 'boas_vindas', path: 'passos.0.config.template' },
    { kind: 'template', channel: 'sms', name: 'boas_vindas', path: 'passos.0.config.template' },
    { kind: 'template', channel: 'email', name: 'etpl', path: 'passos.0.config.fallback.2.template' },
    { kind: 'stage', pipelineId, stageId: estagioId, path: 'passos.1.config' },
  ]);
  expect(CreateJourney.safeParse(of).success).toBe(true);
});
