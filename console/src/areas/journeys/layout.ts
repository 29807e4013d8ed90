import type { Graph, Step } from './graph.ts';

/** The parts of a graph that a layout depends on: which steps there are, and the links between them. */
interface Structure {
  readonly passos: readonly Pick<Step, 'chave'>[];
  readonly ligacoes: readonly Pick<Graph['ligacoes'][number], 'de' | 'para'>[];
}

/** In pixels. */
export const NODE = { width: 232, height: 92 } as const;
const GAP = { x: 48, y: 84 } as const;
/** Rounds of putting each step near the steps that lead to it. */
const ROUNDS = 4;

/** Links in the direction in which runs go, without those that close a cycle. */
const forwardLinks = ({ passos, ligacoes }: Structure): ReadonlyMap<string, readonly string[]> => {
  const known = new Set(passos.map(({ chave }) => chave));
  const all = Map.groupBy(
    ligacoes.filter(({ de, para }) => known.has(de) && known.has(para)),
    ({ de }) => de,
  );
  const forward = new Map<string, string[]>();
  const state = new Map<string, 'open' | 'done'>();
  for (const { chave: root } of passos) {
    const stack = [{ key: root, at: 0 }];
    while (stack.length > 0) {
      const top = stack.at(-1);
      if (!top) break;
      const { key } = top;
      if (top.at === 0 && state.get(key) === 'done') {
        stack.pop();
        continue;
      }
      state.set(key, 'open');
      const target = all.get(key)?.[top.at++]?.para;
      if (target === undefined) {
        state.set(key, 'done');
        stack.pop();
        continue;
      }
      if (state.get(target) === 'open') continue;
      forward.set(key, [...(forward.get(key) ?? []), target]);
      if (!state.has(target)) stack.push({ key: target, at: 0 });
    }
  }
  return forward;
};

/** The layer of each step: one below the lowest that leads to it. */
const layersOf = (graph: Structure, forward: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, number> => {
  const layers = new Map(graph.passos.map(({ chave }) => [chave, 0]));
  const waiting = new Map<string, number>();
  for (const targets of forward.values())
    for (const target of targets) waiting.set(target, (waiting.get(target) ?? 0) + 1);
  const ready = graph.passos.map(({ chave }) => chave).filter((key) => !waiting.has(key));
  for (let key = ready.shift(); key !== undefined; key = ready.shift())
    for (const target of forward.get(key) ?? []) {
      layers.set(target, Math.max(layers.get(target) ?? 0, (layers.get(key) ?? 0) + 1));
      const left = (waiting.get(target) ?? 1) - 1;
      waiting.set(target, left);
      if (left === 0) ready.push(target);
    }
  return layers;
};

/** Where each step stands: layer under layer, each step near those that lead to it. The same graph looks the same each time. */
export const layout = (graph: Structure): ReadonlyMap<string, { readonly x: number; readonly y: number }> => {
  const forward = forwardLinks(graph);
  const layers = layersOf(graph, forward);
  const rows = [...Map.groupBy(graph.passos, ({ chave }) => layers.get(chave) ?? 0)]
    .sort(([a], [b]) => a - b)
    .map(([, steps]) => steps.map(({ chave }) => chave));
  const parents = new Map<string, string[]>();
  for (const [key, targets] of forward)
    for (const target of targets) parents.set(target, [...(parents.get(target) ?? []), key]);
  const place = new Map<string, number>();
  const center = (row: readonly string[]) => {
    for (const [at, key] of row.entries()) place.set(key, at - (row.length - 1) / 2);
  };
  for (const row of rows) center(row);
  const wanted = (key: string): number => {
    const above = parents.get(key) ?? [];
    return above.length === 0
      ? (place.get(key) ?? 0)
      : above.reduce((sum, each) => sum + (place.get(each) ?? 0), 0) / above.length;
  };
  for (let round = 0; round < ROUNDS; round++)
    for (const row of rows) {
      row.sort((a, b) => wanted(a) - wanted(b));
      center(row);
    }
  return new Map(
    rows.flatMap((row, layer) =>
      row.map((key) => [key, { x: (place.get(key) ?? 0) * (NODE.width + GAP.x), y: layer * (NODE.height + GAP.y) }]),
    ),
  );
};
