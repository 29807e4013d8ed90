import { canonical, draws, entryOf, type Item, itemId, type TableShape } from './model.ts';
import type { LawSettings } from './settings.ts';
import { resourceOf } from './units.ts';

interface Change {
  /** The entry as it is read until the change is visible. */
  readonly before: Item | undefined;
  /** Infinite while the write is under way. */
  visibleAt: number;
}

/** A write whose index entries are delayed; one of these reports its result. */
export interface HeldBack {
  /** The item is written and is now so. */
  written(after: Item | undefined): void;
  /** Nothing was written. */
  dropped(): void;
}

/**
 * Index entries lag behind their rows (GSI.html: "eventually consistent"). For each item whose entry changed less than its lag ago, the
 * older entry is kept, and queries return it. Exact: an index shows successive states of an item in order, each index with its own lag; a
 * row read by its key is never late. Approximate: a page's limits are counted on the engine's present entries, so it may be shorter than
 * DynamoDB's; after a restart of the proxy the indexes are up to date.
 */
export class IndexLag {
  readonly #settings: LawSettings;
  readonly #draw: () => number;
  /** By index, then by item: its changes that are not visible yet, the oldest first. */
  readonly #changes = new Map<string, Map<string, Change[]>>();

  constructor(settings: LawSettings) {
    this.#settings = settings;
    this.#draw = draws(settings.seed, 'index lag');
  }

  /** To be called before the engine writes, while no other write has the item. */
  holdBack(shape: TableShape, key: Item, before: Item | undefined): HeldBack {
    const id = itemId(shape, key);
    const held = shape.indexes.map((index) => {
      const change: Change = { before: entryOf(shape, index, before), visibleAt: Infinity };
      const changes = this.#ofIndex(resourceOf(shape.name, index.name));
      const list = changes.get(id) ?? [];
      changes.set(id, [...list, change]);
      const drop = () => {
        const left = (changes.get(id) ?? []).filter((other) => other !== change);
        if (left.length > 0) changes.set(id, left);
        else changes.delete(id);
      };
      return { index, change, drop, since: list.at(-1)?.visibleAt ?? 0 };
    });
    return {
      dropped: () => {
        for (const { drop } of held) drop();
      },
      written: (after) => {
        for (const { index, change, drop, since } of held) {
          if (canonical(change.before) === canonical(entryOf(shape, index, after))) drop();
          else change.visibleAt = Math.max(since, this.#settings.clock.now() + this.#lag());
        }
      },
    };
  }

  /** The items of an index that are shown in an earlier state, with that entry; undefined if they had none. */
  older(table: string, index: string): ReadonlyMap<string, Item | undefined> {
    const now = this.#settings.clock.now();
    const changes = this.#ofIndex(resourceOf(table, index));
    const shown = new Map<string, Item | undefined>();
    for (const [id, list] of changes) {
      const left = list.filter(({ visibleAt }) => visibleAt > now);
      if (left.length < list.length) {
        if (left.length > 0) changes.set(id, left);
        else changes.delete(id);
      }
      if (left[0]) shown.set(id, left[0].before);
    }
    return shown;
  }

  /** How many items an index shows as they were. */
  get late(): number {
    const now = this.#settings.clock.now();
    const lists = [...this.#changes.values()].flatMap((changes) => [...changes.values()]);
    return lists.filter((list) => list.some(({ visibleAt }) => visibleAt > now)).length;
  }

  #ofIndex(resource: string): Map<string, Change[]> {
    const found = this.#changes.get(resource) ?? new Map<string, Change[]>();
    this.#changes.set(resource, found);
    return found;
  }

  #lag(): number {
    const { lagMs, lateShare, lateMs } = this.#settings;
    const [from, to] = this.#draw() < lateShare ? [lagMs[1], lateMs] : lagMs;
    return from + this.#draw() * (to - from);
  }
}
