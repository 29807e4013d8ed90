import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import type { CardPorts } from './card.ts';
import { orderBetween } from './order.ts';
import { END, type Owner } from './place.ts';

/** A row of an import, counted from 0, and the stage of its card. */
export interface PlacedRow {
  readonly at: number;
  readonly stageId: Id<'stage'>;
}
const IN_FLIGHT = 8;

/** The positions of an import's rows: at the ends of their stages as of the first row, in the order of the rows. */
export class ImportPlaces {
  readonly #last = new Map<Id<'stage'>, string | undefined>();
  readonly #orders = new Map<string, string>();
  readonly #ports: Pick<CardPorts, 'store'>;
  readonly #owner: Owner;

  constructor(ports: Pick<CardPorts, 'store'>, owner: Owner) {
    this.#ports = ports;
    this.#owner = owner;
  }

  /** Assigns a position to each row that has none in its stage. One read per new stage. */
  async reserve(rows: readonly PlacedRow[]): Promise<void> {
    const unread = new Set(rows.map(({ stageId }) => stageId).filter((stageId) => !this.#last.has(stageId)));
    await mapConcurrently([...unread], IN_FLIGHT, async (stageId) => {
      const end = await this.#ports.store.neighbours(this.#owner.organizationId, stageId, END);
      this.#last.set(stageId, end?.before);
    });
    for (const row of rows.toSorted((one, other) => one.at - other.at)) {
      if (this.#orders.has(keyOf(row))) continue;
      const order = orderBetween(this.#last.get(row.stageId), undefined) ?? '';
      this.#last.set(row.stageId, order);
      this.#orders.set(keyOf(row), order);
    }
  }

  /** A row's position in its stage. Throws a RangeError if it has none. */
  orderOf(row: PlacedRow): string {
    const order = this.#orders.get(keyOf(row));
    if (order === undefined) throw new RangeError(`no place was reserved for row ${row.at}`);
    return order;
  }
}
const keyOf = ({ at, stageId }: PlacedRow): string => `${at}#${stageId}`;
