import { describe, expect, test } from 'vitest';
import { withValueAt } from '../../console/src/areas/journeys/config.ts';
import {
  addStep,
  changeStep,
  connect,
  type Graph,
  makeFirst,
  removeStep,
  targetOf,
} from '../../console/src/areas/journeys/graph.ts';
import { layout, NODE } from '../../console/src/areas/journeys/layout.ts';
import { parseEvents } from '../../console/src/areas/journeys/simulation.ts';
import { firstViewport, isInView, MIN_ZOOM, READABLE_ZOOM } from '../../console/src/areas/journeys/viewport.ts';

const GRAPH: Graph = {
  passos: [
    { chave: 'oi', tipo: 'enviar', config: { canal: 'sms', texto: 'Oi' } },
    { chave: 'leu', tipo: 'condicao', config: { passo: 'oi', status: 'lida' } },
    { chave: 'vip', tipo: 'etiqueta', config: { adicionar: 'vip' } },
    { chave: 'fim', tipo: 'sair', config: {} },
  ],
  ligacoes: [
    { de: 'oi', para: 'leu' },
    { de: 'leu', para: 'vip', quando: 'sim' },
    { de: 'leu', para: 'fim', quando: 'nao' },
    { de: 'vip', para: 'fim' },
  ],
};
const yes = { quando: 'sim' } as const;
const no = { quando: 'nao' } as const;
const onwards = { quando: 'padrao' } as const;

describe('the graph of a journey', () => {
  test('puts a new step between an outcome and what it led to', () => {
    const { graph, key } = addStep(GRAPH, 'esperar', { key: 'leu', outcome: no });
    expect(key).toBe('esperar_1');
    expect([targetOf(graph, 'leu', no), targetOf(graph, key, onwards)]).toEqual([key, 'fim']);
    expect(targetOf(graph, 'leu', yes)).toBe('vip');
    expect(addStep(graph, 'esperar').key).toBe('esperar_2');
  });

  test('gives an outcome one link, and takes away that of no other', () => {
    const led = connect(GRAPH, 'leu', yes, 'fim');
    expect(led.ligacoes.filter(({ de }) => de === 'leu')).toEqual([
      { de: 'leu', para: 'fim', quando: 'nao' },
      { de: 'leu', para: 'fim', quando: 'sim' },
    ]);
    expect(targetOf(connect(led, 'leu', yes, undefined), 'leu', yes)).toBeUndefined();
  });

  test('joins what was before and behind a step that is taken out, unless it branched', () => {
    expect(removeStep(GRAPH, 'vip').ligacoes).toContainEqual({ de: 'leu', para: 'fim', quando: 'sim' });
    const { passos, ligacoes } = removeStep(GRAPH, 'leu');
    expect(passos.map(({ chave }) => chave)).toEqual(['oi', 'vip', 'fim']);
    expect(ligacoes).toEqual([{ de: 'vip', para: 'fim' }]);
  });

  test('follows a step that is renamed, in links and in steps that name it', () => {
    const [oi] = GRAPH.passos;
    if (!oi) throw new Error('It has a first step.');
    const { passos, ligacoes } = changeStep(GRAPH, 'oi', { ...oi, chave: 'ola' });
    expect(ligacoes[0]).toEqual({ de: 'ola', para: 'leu' });
    expect(passos[1]?.config).toEqual({ passo: 'ola', status: 'lida' });
  });

  test('drops the link of a branch that is gone', () => {
    const split = { chave: 'teste', tipo: 'divisao', config: { ramos: [{ nome: 'A', peso: 100 }] } } as const;
    const graph: Graph = {
      passos: [split, ...GRAPH.passos],
      ligacoes: [
        { de: 'teste', para: 'oi', quando: 'ramo', ramo: 'A' },
        { de: 'teste', para: 'fim', quando: 'ramo', ramo: 'B' },
      ],
    };
    expect(changeStep(graph, 'teste', split).ligacoes).toEqual([graph.ligacoes[0]]);
  });

  test('begins at the given step, with the other steps in their order', () => {
    expect(makeFirst(GRAPH, 'vip').passos.map(({ chave }) => chave)).toEqual(['vip', 'oi', 'leu', 'fim']);
  });
});

describe('the layout of a journey', () => {
  const largest: Graph = {
    passos: Array.from({ length: 150 }, (_, at) => ({ chave: `p${at}`, tipo: 'condicao', config: {} })),
    ligacoes: Array.from({ length: 149 }, (_, at) => [
      { de: `p${at}`, para: `p${at + 1}`, quando: 'sim' as const },
      { de: `p${at}`, para: `p${(at * 7) % 150}`, quando: 'nao' as const },
    ]).flat(),
  };

  test('stands each step below all that lead to it, but for links that go back', () => {
    const places = layout({ ...GRAPH, ligacoes: [...GRAPH.ligacoes, { de: 'vip', para: 'oi' }] });
    const y = (key: string) => places.get(key)?.y ?? Number.NaN;
    expect(['oi', 'leu', 'vip', 'fim'].map(y)).toEqual(['oi', 'leu', 'vip', 'fim'].map(y).sort((a, b) => a - b));
    expect(new Set(['oi', 'leu', 'vip', 'fim'].map(y)).size).toBe(4);
  });

  test('puts no two steps over each other, of the largest journey too, and the same graph alike', () => {
    for (const graph of [GRAPH, largest]) {
      const places = layout(graph);
      expect(places.size).toBe(graph.passos.length);
      const all = [...places.values()];
      for (const [at, a] of all.entries())
        for (const b of all.slice(at + 1))
          expect(Math.abs(a.x - b.x) >= NODE.width || Math.abs(a.y - b.y) >= NODE.height).toBe(true);
      expect(layout(graph)).toEqual(places);
    }
  });
});

describe('the first view of a journey', () => {
  const canvas = { width: 400, height: 540 };
  const column = (count: number) =>
    layout({
      passos: Array.from({ length: count }, (_, at) => ({ chave: `p${at}` })),
      ligacoes: Array.from({ length: count - 1 }, (_, at) => ({ de: `p${at}`, para: `p${at + 1}` })),
    });
  const keysInView = (places: ReturnType<typeof layout>) => {
    const view = firstViewport(places, 'p0', canvas);
    return [...places].flatMap(([key, place]) => (isInView(place, canvas, view) ? [key] : []));
  };

  test('shows all steps, in the middle, where that is large enough', () => {
    const places = column(4);
    const { x, y, zoom } = firstViewport(places, 'p0', canvas);
    const last = places.get('p3');
    expect(zoom).toBeGreaterThanOrEqual(MIN_ZOOM);
    expect(y).toBeCloseTo(canvas.height - (y + ((last?.y ?? 0) + NODE.height) * zoom));
    expect(x + (NODE.width / 2) * zoom).toBeCloseTo(canvas.width / 2);
    expect(keysInView(places)).toEqual(['p0', 'p1', 'p2', 'p3']);
    expect(firstViewport(column(1), 'p0', canvas).zoom).toBe(1);
  });

  test('of more steps shows the first one and those that follow, large enough to be read', () => {
    const places = column(150);
    expect(firstViewport(places, 'p0', canvas).zoom).toBe(READABLE_ZOOM);
    const shown = keysInView(places);
    expect(shown.slice(0, 4)).toEqual(['p0', 'p1', 'p2', 'p3']);
    expect(shown.length).toBeLessThan(10);
  });
});

describe('input for a step or a simulation', () => {
  test('changes its own field alone; what then holds nothing goes', () => {
    const config = { pipelineId: 'p', criar: { titulo: 'Novo' } };
    expect(withValueAt(config, 'criar.valor', 10)).toEqual({ pipelineId: 'p', criar: { titulo: 'Novo', valor: 10 } });
    expect(withValueAt(config, 'criar.titulo', undefined)).toEqual({ pipelineId: 'p' });
    expect(withValueAt({}, 'ate.hora', '09:00')).toEqual({ ate: { hora: '09:00' } });
  });

  test('reads events with their time; what it does not understand is left for the service to name', () => {
    expect(parseEvents('2h compra\n\n 3d visita à loja \nlogo')).toEqual([
      { nome: 'compra', apos: { horas: 2 } },
      { nome: 'visita à loja', apos: { dias: 3 } },
      { nome: 'logo', apos: {} },
    ]);
  });
});
