import '@xyflow/react/dist/base.css';
import './canvas.css';
import {
  type AriaLabelConfig,
  Background,
  type Connection,
  Controls,
  type Edge,
  MarkerType,
  type NodeChange,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react';
import { type KeyboardEvent, memo, useCallback, useEffect, useMemo, useState } from 'react';
import { useTexts } from '../../app/texts.ts';
import { canvasTexts } from './canvas-texts.ts';
import type { CanvasProps } from './canvas-types.ts';
import { type Outcome, outcomeId } from './graph.ts';
import { layout, NODE } from './layout.ts';
import { handlesOf, type StepFlowNode, StepNode } from './step-node.tsx';
import { useStepWords } from './step-words.ts';
import { useKept } from './use-kept.ts';
import { firstViewport, isInView, PADDING, type Size } from './viewport.ts';

const NODE_TYPES = { step: StepNode };
const FIT = { padding: PADDING, maxZoom: 1 } as const;
const PRO = { hideAttribution: true } as const;
type Canvas = HTMLElement;
const sizeOf = ({ clientWidth: width, clientHeight: height }: Canvas): Size => ({ width, height });
/** Up to this many steps all are rendered; of more only those in view. */
const MAX_WHOLE = 30;

const outcomeOf = (handle: string | null | undefined): Outcome => {
  const [quando = 'padrao', ...ramo] = (handle ?? '').split(':');
  return quando === 'ramo' ? { quando, ramo: ramo.join(':') } : { quando: quando as Outcome['quando'] };
};

type Places = ReturnType<typeof layout>;

/** Where each step stands; the same object while no step and no link is another. */
const usePlaces = ({ passos, ligacoes }: CanvasProps['graph']): Places => {
  const keys = useKept(passos.map(({ chave }) => chave));
  const links = useKept(ligacoes.map(({ de, para }) => ({ de, para })));
  return useMemo(() => layout({ passos: keys.map((chave) => ({ chave })), ligacoes: links }), [keys, links]);
};

const useNodes = (places: Places, { graph, selected, edit, noteOf, faultsOf, marks }: CanvasProps): StepFlowNode[] => {
  const words = useStepWords();
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

type Flow = ReactFlowInstance<StepFlowNode>;

/** Moves to the chosen step, or to the one where a run stands, if it is out of view: it may have been chosen in the outline. */
const useFollowing = (flow: Flow | undefined, places: Places, { selected, marks }: CanvasProps, canvas: Canvas) => {
  const key = selected ?? [...(marks ?? [])].find(([, mark]) => mark === 'now')?.[0];
  const place = key === undefined ? undefined : places.get(key);
  useEffect(() => {
    if (!flow || !place || isInView(place, sizeOf(canvas), flow.getViewport())) return;
    void flow.setCenter(place.x + NODE.width / 2, place.y + NODE.height / 2, { zoom: flow.getZoom() });
  }, [flow, place, canvas]);
};

/** Choosing, connecting and deleting in the drawing. */
const useHandlers = ({ onSelect, edit }: CanvasProps, edges: readonly Edge[]) => {
  const onNodesChange = useCallback(
    (changes: NodeChange<StepFlowNode>[]) => {
      const chosen = changes.find((change) => change.type === 'select' && change.selected);
      if (chosen?.type === 'select') onSelect?.(chosen.id);
    },
    [onSelect],
  );
  const onConnect = useCallback(
    ({ source, sourceHandle, target }: Connection) => edit?.connect(source, outcomeOf(sourceHandle), target),
    [edit],
  );
  // Deletes the focused item, not the one that was selected before: the two may differ.
  const onKeyDown = ({ key, target }: KeyboardEvent) => {
    if (!edit || (key !== 'Delete' && key !== 'Backspace') || !(target instanceof Element)) return;
    const id = target.getAttribute('data-id');
    const edge = edges.find((each) => each.id === id && target.classList.contains('react-flow__edge'));
    if (edge) edit.connect(edge.source, outcomeOf(edge.sourceHandle), undefined);
    else if (id !== null && target.classList.contains('react-flow__node')) edit.remove(id);
  };
  return { onNodesChange, onConnect, onKeyDown };
};

/** The drawing in a canvas whose size is known. */
const Drawing = ({ canvas, ...props }: CanvasProps & { readonly canvas: Canvas }) => {
  const { graph, edit } = props;
  const t = useTexts(canvasTexts);
  const places = usePlaces(graph);
  const nodes = useNodes(places, props);
  const edges = useEdges(props);
  const handlers = useHandlers(props, edges);
  const [flow, setFlow] = useState<Flow>();
  const [size] = useState(() => sizeOf(canvas));
  const [view] = useState(() => firstViewport(places, graph.passos[0]?.chave ?? '', size));
  useFollowing(flow, places, props, canvas);
  const labels = useMemo((): Partial<AriaLabelConfig> => t.flow, [t]);
  return (
    <ReactFlow
      {...handlers}
      {...size}
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      onInit={setFlow}
      nodesConnectable={edit !== undefined}
      edgesReconnectable={false}
      deleteKeyCode={null}
      defaultViewport={view}
      onlyRenderVisibleElements={nodes.length > MAX_WHOLE}
      minZoom={0.1}
      preventScrolling={false}
      ariaLabelConfig={labels}
      proOptions={PRO}
    >
      <Background />
      <Controls showInteractive={false} fitViewOptions={FIT} />
    </ReactFlow>
  );
};

/**
 * The journey as a drawing: steps are chosen, connected and taken away in it, by pointer and by keyboard. It begins once the canvas has its
 * size, so that of many steps those out of view are never rendered.
 */
export default memo((props: CanvasProps) => {
  const t = useTexts(canvasTexts);
  const [canvas, setCanvas] = useState<Canvas | null>(null);
  return (
    <section className="journey-canvas" aria-label={t.canvas} ref={setCanvas}>
      {canvas ? <Drawing {...props} canvas={canvas} /> : null}
    </section>
  );
});
