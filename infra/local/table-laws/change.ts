import type { Answer, Call, Json } from './engine.ts';
import type { HeldBack } from './index-lag.ts';
import type { Laws } from './laws.ts';
import { type Item, itemId, pick, type TableShape } from './model.ts';
import type { Throttle } from './refusals.ts';
import { type Demand, type WriteDemands, writeDemands } from './units.ts';
import { updateResult } from './update-result.ts';

/** One write of one item, alone, in a batch or in a transaction. */
export interface WriteAction {
  readonly kind: 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
  readonly request: Json;
  readonly shape: TableShape;
  readonly key: Item;
  readonly id: string;
}

/** The write that a request describes. */
export const writeAction = (kind: WriteAction['kind'], request: Json, shape: TableShape): WriteAction => {
  const key = kind === 'Put' ? pick(request.Item ?? {}, shape.keys) : (request.Key ?? {});
  return { kind, request, shape, key, id: itemId(shape, key) };
};

const resultOf = ({ kind, request, key }: WriteAction, before: Item | undefined) => {
  if (kind === 'Put') return { after: request.Item as Item, exact: true };
  if (kind === 'Delete') return { after: undefined, exact: true };
  if (kind === 'ConditionCheck') return { after: before, exact: true };
  const after = updateResult(before, key, request.UpdateExpression, request);
  // Until the engine returns the result, the units are those of the previous item.
  return { after: after ?? before, exact: after !== undefined };
};

const all = ({ base, indexes }: WriteDemands): Demand[] => [base, ...indexes];

/**
 * A write between its admission and its end. Its units are taken at admission, so that the next one finds them gone; those of a failed
 * condition stay taken (read-write-operations.html: a failed conditional write consumes the units of the existing item), those of a write
 * that did not happen are returned.
 */
export class Change {
  readonly action: WriteAction;
  readonly #laws: Laws;
  readonly #after: Item | undefined;
  readonly #before: Item | undefined;
  readonly #exact: boolean;
  readonly #transactional: boolean;
  readonly #demands: WriteDemands;
  #held: HeldBack | undefined;

  constructor(laws: Laws, action: WriteAction, before: Item | undefined, transactional = false) {
    const { after, exact } = resultOf(action, before);
    this.action = action;
    this.#laws = laws;
    this.#before = before;
    this.#after = after;
    this.#exact = exact;
    this.#transactional = transactional;
    this.#demands = this.#demandsOf(after);
  }

  throttle(): Throttle | undefined {
    const throttle = this.#laws.throughput.refusal(all(this.#demands));
    if (throttle) this.#laws.throttled(throttle);
    return throttle;
  }

  /** Takes the units. */
  admit(): void {
    this.#laws.throughput.take(all(this.#demands));
  }

  /** To be called before the engine is. */
  start(): void {
    const { kind, shape, key } = this.action;
    if (kind !== 'ConditionCheck') this.#held = this.#laws.lag.holdBack(shape, key, this.#before);
  }

  async written(call: Call): Promise<void> {
    if (this.#exact) return this.#held?.written(this.#after);
    const [after] = await this.#laws.engine.read(call, this.action.shape, [this.action.key]);
    this.#laws.throughput.take(all(this.#demands), -1);
    this.#laws.throughput.take(all(this.#demandsOf(after)));
    this.#held?.written(after);
  }

  /** Nothing was written; `tried` when a condition failed. */
  refused(tried: boolean): void {
    this.#held?.dropped();
    this.#laws.throughput.take(tried ? this.#demands.indexes : all(this.#demands), -1);
  }

  #demandsOf(after: Item | undefined): WriteDemands {
    const { shape, key } = this.action;
    return writeDemands(shape, { key, before: this.#before, after }, this.#transactional);
  }
}

/** Sends changes to the engine, and classifies its errors. */
export interface Sending {
  readonly call: Call;
  readonly send: () => Promise<Answer>;
  /** Whether a refusal means that a condition failed. */
  readonly wasTried: (answer: Answer) => boolean;
}

/** Has the engine carry out admitted changes, and ends them by its answer; as not written when it cannot be reached, which is then thrown. */
export const carryOut = async (changes: readonly Change[], { call, send, wasTried }: Sending): Promise<Answer> => {
  for (const change of changes) change.start();
  const answer = await send().catch((fault: unknown) => {
    for (const change of changes) change.refused(false);
    throw fault;
  });
  for (const change of changes) {
    if (answer.status === 200) await change.written(call);
    else change.refused(wasTried(answer));
  }
  return answer;
};
