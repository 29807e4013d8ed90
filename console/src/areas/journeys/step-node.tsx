import { Handle, type Node, type NodeHandle, type NodeProps, Position } from '@xyflow/react';
import { Flag, TriangleAlert } from 'lucide-react';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Mark } from './canvas-types.ts';
import { outcomeId, outcomesOf, type Step } from './graph.ts';
import { NODE } from './layout.ts';
import { STEP_ICONS } from './step-icons.ts';
import { useStepWords } from './step-words.ts';
import { texts } from './texts.ts';

export type StepFlowNode = Node<
  {
    readonly step: Step;
    readonly isFirst: boolean;
    readonly note: string | undefined;
    readonly faults: number;
    readonly mark: Mark | undefined;
    readonly canConnect: boolean;
  },
  'step'
>;

const HANDLE = 12;
/** Where the handles of outcomes stand, in pixels from the left: side by side. */
const placesOf = (step: Step): readonly (readonly [string, number])[] => {
  const outcomes = outcomesOf(step);
  return outcomes.map((outcome, at) => [outcomeId(outcome), (NODE.width * (at + 1)) / (outcomes.length + 1)]);
};

/** The handles of a step, known without measuring it: every step has the same size. */
export const handlesOf = (step: Step): NodeHandle[] => {
  const size = { width: HANDLE, height: HANDLE };
  return [
    { type: 'target', position: Position.Top, x: NODE.width / 2 - HANDLE / 2, y: -HANDLE / 2, ...size },
    ...placesOf(step).map(([id, x]): NodeHandle => {
      const y = NODE.height - HANDLE / 2;
      return { id, type: 'source', position: Position.Bottom, x: x - HANDLE / 2, y, ...size };
    }),
  ];
};

/** A step in the drawing: what it is, what it does, what came of it, and whether something is wrong with it. Plain elements: a journey may have hundreds. */
export const StepNode = ({ data }: NodeProps<StepFlowNode>) => {
  const { step, isFirst, note, faults, mark, canConnect } = data;
  const t = useTexts(texts);
  const words = useStepWords();
  const format = useFormat();
  const Icon = STEP_ICONS[step.tipo];
  return (
    <div className="journey-node" data-step={step.chave} data-mark={mark} data-faulty={faults > 0 || undefined}>
      <Handle type="target" position={Position.Top} isConnectable={canConnect} />
      <div className="journey-node-name">
        <Icon size={16} aria-hidden />
        <p>{words.nameOf(step)}</p>
        {isFirst ? <Flag size={14} aria-label={t.first} role="img" /> : null}
      </div>
      <p className="journey-node-detail">{words.detailOf(step) || step.chave}</p>
      {note === undefined ? null : <p title={note}>{note}</p>}
      {faults > 0 ? (
        <div className="journey-node-faults">
          <TriangleAlert size={14} aria-hidden />
          {t.problems(format.number(faults))}
        </div>
      ) : null}
      {placesOf(step).map(([id, x]) => (
        <Handle
          key={id}
          id={id}
          type="source"
          position={Position.Bottom}
          isConnectable={canConnect}
          style={{ left: x }}
        />
      ))}
    </div>
  );
};
