import type { Id } from '../core/ids.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { EnginePorts } from './engine-ports.ts';
import type { HistoryEntry } from './run.ts';
import type { StoredRun } from './run-ports.ts';
import type { Input } from './turn.ts';

/**
 * Adds a message that was sent while a cancellation or the goal ended its run to the history, after that end: it was sent and charged. No
 * effect on an active run, whose next turn consumes the result, or if the history already has the message.
 */
export const noteSent = async (
  { runs, clock }: Pick<EnginePorts, 'clock' | 'runs'>,
  id: Id<'run'>,
  input: Input,
): Promise<void> => {
  if (input.kind !== 'result' || input.result.kind !== 'sent') return;
  const { messageId } = input.result;
  const at = clock();
  const entry: HistoryEntry = { step: input.step, kind: 'enviar', at, result: 'enviada', messageId };
  await retryOnConflict<undefined>('The run', async () => {
    const [before] = await runs.read([id]);
    if (!before || before.run.status === 'ativa') return undefined;
    if ((await runs.historyOf(before)).some((each) => each.messageId === messageId)) return undefined;
    const { run, history } = before;
    const after: StoredRun = {
      ...before,
      run: { ...run, historyCount: run.historyCount + 1, version: run.version + 1 },
      history: [...history, entry],
    };
    const move = { before, after, added: [entry], counts: new Map(), goal: undefined, events: [], decidedAt: at };
    return (await runs.save(move)) === 'saved' ? undefined : CONFLICT;
  });
};
