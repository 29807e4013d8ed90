import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Queue, Redrive } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { LongWorkView } from '../../ui/long-work.tsx';
import { texts } from './texts.ts';

interface RedriveDialogProps {
  readonly queue: string;
  /** The dead letters to move; all when absent. */
  readonly ids?: readonly string[];
  readonly count: number;
  readonly onClose: () => void;
  readonly onDone: (redrive: Redrive) => void;
}

/** Asks before dead letters are moved back to their queue. */
export const RedriveDialog = ({ queue, ids, count, onClose, onDone }: RedriveDialogProps) => {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <ActionDialog
      title={ids ? t.redrive.one : t.redrive.all}
      hint={ids ? t.redrive.oneHint : t.redrive.allHint(format.number(count), queue)}
      act={() => api.operator.redriveDeadLetters(queue, ids ? { ids: [...ids] } : {})}
      invalidates={[
        ['operator', 'dead-letters', queue],
        ['operator', 'queues'],
      ]}
      onClose={onClose}
      onDone={onDone}
    />
  );
};

/** SQS moves some hundred messages a second. */
const REFRESH_MS = 5_000;

/** How many of the dead letters a redrive in the background has moved, as the queue's depth shows it. */
export const RedriveProgress = ({ queue, before }: { readonly queue: Queue['queue']; readonly before: number }) => {
  const t = useTexts(texts);
  const read = useQuery({
    queryKey: ['operator', 'queues'],
    queryFn: ({ signal }) => api.operator.listQueues({ signal }),
    refetchInterval: REFRESH_MS,
  });
  const left = read.data?.items.find((each) => each.queue === queue)?.deadLetters ?? before;
  const moved = Math.max(0, before - left);
  return (
    <LongWorkView
      title={t.redrive.all}
      status={left > 0 ? t.redrive.running : t.redrive.finished}
      share={before === 0 ? undefined : moved / before}
      running={left > 0}
      figures={[
        [t.redrive.movedSoFar, moved],
        [t.redrive.left, left],
      ]}
    />
  );
};
