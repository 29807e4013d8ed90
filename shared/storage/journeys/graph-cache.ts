import type { Id } from '../../domain/core/ids.ts';
import type { WireGraph } from '../../domain/journeys/definition.ts';

/** About how many bytes of graphs a process keeps. */
const MAX_BYTES = 32 * 1024 * 1024;

interface Kept {
  readonly graph: WireGraph;
  readonly bytes: number;
}

/** Graphs by version and revision, which name one graph for good. Lets go of those that were read first. */
export class GraphCache {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  get(id: Id<'journey'>, revision: number): WireGraph | undefined {
    return this.#kept.get(`${id} ${revision}`)?.graph;
  }

  set(id: Id<'journey'>, revision: number, graph: WireGraph): void {
    const name = `${id} ${revision}`;
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
