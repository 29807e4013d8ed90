import { sendableFrom } from './calendar.ts';
import type { EnginePorts } from './engine-ports.ts';
import type { Graph } from './graph.ts';
import { visitOf } from './run.ts';
import type { StoredRun } from './run-ports.ts';
import type { Input, Moment } from './turn.ts';

/**
 * Recovers the result of a send whose worker crashed after the message was accepted and before that was stored, in case quiet hours would
 * now defer the repeat. Undefined if it was not sent, or if the send is repeated anyway. One read, only for such runs.
 */
export const forgottenSend = async (
  { sentBy }: Pick<EnginePorts, 'sentBy'>,
  { run }: StoredRun,
  graph: Graph,
  moment: Moment,
): Promise<Input | undefined> => {
  const step = graph.steps.get(run.step);
  if (run.status !== 'ativa' || run.wait?.kind !== 'ready' || step?.kind !== 'enviar') return undefined;
  if (sendableFrom(graph, moment, step.config.channel) <= moment.now) return undefined;
  const visit = visitOf(run);
  const messageId = await sentBy(run, step.key, visit);
  if (messageId === undefined) return undefined;
  const { attempt } = run.wait;
  return { kind: 'result', step: step.key, visit, attempt, result: { kind: 'sent', messageId } };
};
