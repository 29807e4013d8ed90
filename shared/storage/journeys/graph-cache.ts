import type { Id } from '../../domain/core/ids.ts';
import type { WireGraph } from '../../domain/journeys/definition.ts';

/** The approximate maximum size of graphs cached by a process, in bytes. */
const MAX_BYTES = 32 * 1024 * 1024;

interface Kept {
  readonly graph: WireGraph;
  readonly bytes: number;
}
/** A graph as it was read, and its revision: a draft may have another one by then. */
interface Read {
  readonly graph: WireGraph;
  readonly revision: number;
}

const nameOf = (id: Id<'journey'>, revision: number): string => `${id} ${revision}`;

/** Graphs by version and revision, which identify an immutable graph. Concurrent callers share one read. Evicts the oldest first. */
export class GraphCache {
  readonly #kept = new Map<string, Kept>();
  readonly #reads = new Map<string, Promise<WireGraph>>();
  #bytes = 0;

  get(id: Id<'journey'>, revision: number, read: () => Promise<Read>): Promise<WireGraph> {
    const name = nameOf(id, revision);
    const kept = this.#kept.get(name);
    if (kept) return Promise.resolve(kept.graph);
    const started = this.#reads.get(name) ?? this.#read(id, read).finally(() => this.#reads.delete(name));
    this.#reads.set(name, started);
    return started;
  }

  async #read(id: Id<'journey'>, read: () => Promise<Read>): Promise<WireGraph> {
    const { graph, revision } = await read();
    this.#keep(nameOf(id, revision), graph);
    return graph;
  }

  #keep(name: string, graph: WireGraph): void {
    if (this.#kept.has(name)) return;
    const bytes = JSON.stringify(graph).length;
    this.#kept.set(name, { graph, bytes });
    this.#bytes += bytes;
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#kept.delete(oldest);
      this.#bytes -= kept.bytes;
    }
  }
}
