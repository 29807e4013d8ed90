import { type Graph, graphOf } from './graph.ts';
import type { Journey } from './journey.ts';
import type { JourneyStore } from './ports.ts';

const graphs = new WeakMap<object, Graph>();

/** The graph of a version that was activated once, and never changes since. Kept as long as the process keeps what it is made of. */
export const compiledGraph = async (journeys: Pick<JourneyStore, 'readGraph'>, journey: Journey): Promise<Graph> => {
  const wire = await journeys.readGraph(journey);
  const graph = graphs.get(wire) ?? graphOf({ ...wire, ...journey });
  graphs.set(wire, graph);
  return graph;
};
