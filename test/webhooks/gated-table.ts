import type { Table } from '../../shared/storage/client/table.ts';

/** Turns of the event loop in which code without I/O of its own comes to its next call of the table. */
const TURNS = 5;
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** Processes over one table, whose calls are carried out one after another, in an order that the test chooses. */
export class Interleaving {
  readonly #waiting: (() => Promise<void>)[] = [];

  /** The table as a process has it that ends before its call number `dies`, from 0. Such a call never returns. */
  process(table: Table, dies = Number.POSITIVE_INFINITY): Table {
    let calls = 0;
    const gated = <T>(call: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        if (calls++ >= dies) return;
        this.#waiting.push(() => call().then(resolve, reject));
      });
    return new Proxy(table, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function'
          ? (...parts: unknown[]) => gated(async () => Reflect.apply(member, target, parts))
          : member;
      },
    });
  }

  /** Carries out calls until none waits: each time the one that the next pick selects. `between` runs after each. */
  async run(picks: readonly number[], between: () => Promise<void> = async () => undefined): Promise<void> {
    await settled();
    for (let at = 0; this.#waiting.length > 0; at++) {
      const pick = picks[at % picks.length] ?? 0;
      const [call] = this.#waiting.splice(pick % this.#waiting.length, 1);
      await call?.();
      await settled();
      await between();
    }
  }
}
