import * as z from 'zod';
import { HAPPENINGS, type RunSignal } from '../../domain/message/run-signal.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

/** Signals of runs' messages: each is a row in the run's partition, due immediately, until the run has processed it. */
export const runSignalRows = defineRow<RunSignal>()({
  attributes: {
    ...tenant,
    runId: id('run'),
    journeyId: id('journey'),
    stepId: z.string(),
    messageId: id('message'),
    happening: z.enum(HAPPENINGS),
    at: time,
  },
  key: ({ runId, messageId, happening }) => KEYS.runSignal(runId, messageId, happening),
  index: ({ runId, at }) => INDEX_KEYS.due('journey_signal', runId, at),
});

/** The write of a signal, in the transaction of its cause; none without a signal. */
export const signalWrites = (signal: RunSignal | undefined): WriteOp[] =>
  signal ? [{ put: runSignalRows.write(signal) }] : [];

/** The work item that delivers it early. */
export const signalWorkItems = (signal: RunSignal | undefined): Publishable[] =>
  signal
    ? [
        {
          kind: 'journey_signal',
          ...KEYS.runSignal(signal.runId, signal.messageId, signal.happening),
          owner: signal.organizationId,
        },
      ]
    : [];
