import { setTimeout as pause } from 'node:timers/promises';
import { toJson } from '../../../shared/storage/client/plain-json.ts';
import type { Fault, FaultPlan } from '../fault-proxy.ts';
import type { ReadIndex } from '../index-entries.ts';
import { type MemoryCall, MemoryTables, memoryClient } from './client.ts';
import { REFUSALS, refusal } from './refusals.ts';

/** The error of a faulty call, as the SDK reports it. */
const failed = async (fault: Fault, { make }: MemoryCall): Promise<object> => {
  switch (fault.kind) {
    case 'error':
      throw refusal(fault.type, 'injected', fault.body, fault.status);
    case 'gateway':
      throw refusal('UnknownError', fault.body, {}, fault.status === 200 ? 502 : fault.status);
    case 'delay':
      await pause(fault.ms);
      return make();
    case 'drop':
      throw REFUSALS.unanswered();
    default:
      make();
      throw REFUSALS.unanswered();
  }
};

/** Tables in memory with what a proxy before an engine does: faults by plan, and counts of calls. */
export const memoryProxy = () => {
  const calls = new Map<string, number>();
  let current: FaultPlan | undefined;
  const tables = new MemoryTables();
  const client = memoryClient(tables, async (call) => {
    const { action, input } = call;
    const nth = calls.get(action) ?? 0;
    calls.set(action, nth + 1);
    const fault = current?.({ action, nth, body: toJson(input) });
    return fault ? failed(fault, call) : call.make();
  });
  /** Reads the entries of partitions, while no fault is planned. */
  const readIndex: ReadIndex = async (table, index, partitions) => {
    const rows = current ? undefined : tables.rows(table).indexes.get(index);
    return rows && partitions.flatMap((partition) => rows.partition(partition));
  };
  return {
    client,
    readIndex,
    get endpoint(): string {
      throw new TypeError('Tables in memory have no endpoint.');
    },
    shortcutToEngine(): ReadIndex {
      throw new TypeError('Tables in memory have no engine.');
    },
    plan(next: FaultPlan | undefined) {
      current = next;
    },
    calls: calls as ReadonlyMap<string, number>,
    async callsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
      const before = new Map(calls);
      await work();
      const made = [...calls].map(([action, count]) => [action, count - (before.get(action) ?? 0)] as const);
      return Object.fromEntries(made.filter(([, count]) => count > 0));
    },
  };
};
