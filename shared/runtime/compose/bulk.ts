import type * as z from 'zod';
import { BulkMessage } from '../../contracts/bulk.ts';
import type { BulkPorts, ChunkPorts } from '../../domain/bulk/ports.ts';
import { sendChunk } from '../../domain/bulk/send-chunk.ts';
import { refuse } from '../../domain/errors.ts';
import { issueWords } from '../../domain/issue-words.ts';
import type { DueHint } from '../../queues/queues.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { consentFaults, readPromises } from '../../storage/bulk-consent.ts';
import { chunkOf, store } from './batches.ts';
import { clock, publishDue, table } from './platform.ts';
import { leavePorts, unifiedPorts } from './unified.ts';

/** Faults of one message that its refusal names. */
const MOST_FAULTS = 3;

const faultsOf = (issues: readonly z.core.$ZodIssue[]) =>
  refuse('VALIDATION_ERROR', {
    detail: 'The message breaks the contract.',
    errors: issues.slice(0, MOST_FAULTS).map(({ path, message }) => ({
      path: String(path[0] ?? ''),
      message: message.slice(0, 200),
    })),
  });

const hintChunk: BulkPorts['hintChunk'] = (batchId, chunk, at) =>
  publishDue([{ kind: 'send_chunk', ...KEYS.batchChunk(batchId, chunk) }], Math.max(0, (at - clock()) / 1000));

/** What bulk sends need, over this stage's table, queues and the channels' rules. */
export const bulkPorts: BulkPorts = {
  ...unifiedPorts,
  store,
  faultOf: (broken) => faultsOf(BulkMessage.safeParse(broken, { error: issueWords }).error?.issues ?? []),
  promises: (organizationId, keys, now) => readPromises(table, organizationId, keys, now),
  consentFaults: ({ organizationId }, plans) => consentFaults(table, organizationId, plans),
  hintChunk,
};

const chunkPorts: ChunkPorts = { ...leavePorts, store, hintChunk };

/** Sends the messages of a chunk whose time has come. Repeats and any order change nothing. */
export const chunkWork = (hint: DueHint): Promise<void> => sendChunk(chunkPorts, ...chunkOf(hint));
