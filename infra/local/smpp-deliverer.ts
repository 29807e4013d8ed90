import { pause } from '../../shared/domain/core/pause.ts';
import type { BoundAccount } from '../../shared/domain/smpp/account.ts';
import { AccountDeliverer, type Receiver } from './smpp-account-deliverer.ts';
import type { SmppStages } from './smpp-stages.ts';
import type { Stage } from './stages.ts';

/** How long a shutdown waits for responses (ms): a container that is being stopped has little time. */
const LAST_RESPONSES_MS = 1_000;

/** Delivers waiting notices to the accounts with receivers bound to this process. */
export class SmppDeliverer {
  readonly #stages: SmppStages;
  readonly #accounts = new Map<string, AccountDeliverer>();
  #notTaken = 0;

  constructor(stages: SmppStages) {
    this.#stages = stages;
  }

  /** Delivers over a bind until the returned function is called. */
  add(stage: Stage, receiver: Receiver): () => void {
    const { id } = receiver.account();
    const key = `${stage} ${id}`;
    const deliverer = this.#accounts.get(key) ?? this.#delivererOf(stage, id);
    this.#accounts.set(key, deliverer);
    const remove = deliverer.add(receiver);
    return () => {
      remove();
      if (deliverer.isIdle) this.#accounts.delete(key);
    };
  }

  /** An account is sending. */
  touch(stage: Stage, accountId: BoundAccount['id']): void {
    this.#accounts.get(`${stage} ${accountId}`)?.touch();
  }

  /** The number of deliver_sm that were temporarily refused, or not answered in time, since the last call. */
  countNotTaken(): number {
    const count = this.#notTaken;
    this.#notTaken = 0;
    return count;
  }

  /**
   * Starts no further deliveries, and waits briefly for outstanding responses. The returned promise settles once the last lease has ended.
   */
  async stop(): Promise<{ readonly ended: Promise<unknown> }> {
    const deliverers = [...this.#accounts.values()];
    for (const deliverer of deliverers) deliverer.stop();
    const ended = Promise.all(deliverers.map((deliverer) => deliverer.ended));
    await Promise.race([ended, pause(LAST_RESPONSES_MS)]);
    return { ended };
  }

  #delivererOf(stage: Stage, id: BoundAccount['id']): AccountDeliverer {
    const { invoke, onFault } = this.#stages;
    return new AccountDeliverer(id, {
      invoke: (name, event) => invoke(stage, name, event),
      onFault,
      onNotTaken: () => {
        this.#notTaken += 1;
      },
    });
  }
}
