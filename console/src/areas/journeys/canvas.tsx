import '@xyflow/react/dist/base.css';
import './canvas.css';
import { replaceEqualDeep } from '@tanstack/react-query';
import {
  type AriaLabelConfig,
  Background,
  type Connection,
  Controls,
  type Edge,
  MarkerType,
  type NodeChange,
  ReactFlow,
} from '@xyflow/react';
import { type KeyboardEvent, useMemo, useRef } from 'react';
import { useTexts } from '../../app/texts.ts';
import { canvasTexts } from './canvas-texts.ts';
import type { CanvasProps } from './canvas-types.ts';
import { type Outcome, outcomeId } from './graph.ts';
import { layout, NODE } from './layout.ts';
import { handlesOf, type StepFlowNode, StepNode } from './step-node.tsx';
import { useStepWords } from './step-words.ts';

const NODE_TYPES = { step: StepNode };
const FIT = { padding: 0.15, maxZoom: 1 } as const;

const outcomeOf = (handle: string | null | undefined): Outcome => {
  const [quando = 'padrao', ...ramo] = (handle ?? '').split(':');
  return quando === 'ramo' ? { quando, ramo: ramo.join(':') } : { quando: quando as Outcome['quando'] };
};

/** Keeps the identity of nodes and edges that did not change: a keystroke renders the edited step again, not all of them. */
const useKept = <T,>(drawn: T[]): T[] => {
  const kept = useRef(drawn);
  kept.current = replaceEqualDeep(kept.current, drawn);
  return kept.current;
};

const useNodes = ({ graph, selected, edit, noteOf, faultsOf, marks }: CanvasProps): StepFlowNode[] => {
  const words = useStepWords();
  const places = useMemo(() => layout(graph), [graph]);
  const nodes = graph.passos.map((step, at) => ({
    id: step.chave,
    type: 'step' as const,
    position: places.get(step.chave) ?? { x: 0, y: 0 },
    ...NODE,
    measured: NODE,
    handles: handlesOf(step),
    selected: step.chave === selected,
    draggable: false,
    ariaLabel: `${words.nameOf(step)}. ${words.detailOf(step)}`,
    data: {
      step,
      isFirst: at === 0,
      note: noteOf?.(step),
      faults: faultsOf?.(step.chave) ?? 0,
      mark: marks?.get(step.chave),
      canConnect: edit !== undefined,
    },
  }));
  return useKept(nodes);
};

const useEdges = ({ graph }: CanvasProps): Edge[] => {
  const words = useStepWords();
  const known = new Set(graph.passos.map(({ chave }) => chave));
  const edges = graph.ligacoes.flatMap((link) => {
    if (!known.has(link.de) || !known.has(link.para)) return [];
    const { quando = 'padrao', ramo } = link;
    const outcome: Outcome = ramo === undefined ? { quando } : { quando, ramo };
    const name = words.outcomeOf(outcome);
    return {
      id: `${link.de} ${outcomeId(link)}`,
      source: link.de,
      sourceHandle: outcomeId(link),
      target: link.para,
      type: 'smoothstep',
      ...(quando === 'padrao' ? {} : { label: name }),
      ariaLabel: `${link.de}, ${name}: ${link.para}`,
      markerEnd: { type: MarkerType.ArrowClosed },
    };
  });
  return useKept(edges);
};

/** The journey as a drawing: steps are chosen, connected and taken away in it, by pointer and by keyboard. */
export default function Canvas(props: CanvasProps) {
  const { onSelect, edit } = props;
  const t = useTexts(canvasTexts);
  const nodes = useNodes(props);
  const edges = useEdges(props);
  const labels = useMemo((): Partial<AriaLabelConfig> => t.flow, [t]);
  const onNodes = (changes: NodeChange<StepFlowNode>[]) => {
    const chosen = changes.find((change) => change.type === 'select' && change.selected);
    if (chosen?.type === 'select') onSelect?.(chosen.id);
  };
  // Deletes the focused item, not the one that was selected before: the two may differ.
  const onKeyDown = ({ key, target }: KeyboardEvent) => {
    if (!edit || (key !== 'Delete' && key !== 'Backspace') || !(target instanceof Element)) return;
    const id = target.getAttribute('data-id');
    const edge = edges.find((each) => each.id === id && target.classList.contains('react-flow__edge'));
    if (edge) edit.connect(edge.source, outcomeOf(edge.sourceHandle), undefined);
    else if (id !== null && target.classList.contains('react-flow__node')) edit.remove(id);
  };
  const onConnect = ({ source, sourceHandle, target }: Connection) =>
    edit?.connect(source, outcomeOf(sourceHandle), target);
  return (
    <section className="journey-canvas" aria-label={t.canvas} onKeyDown={onKeyDown}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        onNodesChange={onNodes}
        onConnect={onConnect}
        nodesConnectable={edit !== undefined}
        edgesReconnectable={false}
        deleteKeyCode={null}
        fitView
        fitViewOptions={FIT}
        minZoom={0.1}
        preventScrolling={false}
        ariaLabelConfig={labels}
        proOptions={{ hideAttribution: true }}
      >
        <Background />
        <Controls showInteractive={false} fitViewOptions={FIT} />
      </ReactFlow>
    </section>
  );
}
