import { type Graph, graphOf } from './graph.ts';
import type { Journey } from './journey.ts';
import type { JourneyStore } from './ports.ts';

const graphs = new WeakMap<object, Graph>();

/** The compiled graph of an activated version, which never changes. Cached as long as the process caches its source. */
export const compiledGraph = async (journeys: Pick<JourneyStore, 'readGraph'>, journey: Journey): Promise<Graph> => {
  const wire = await journeys.readGraph(journey);
  const graph = graphs.get(wire) ?? graphOf({ ...wire, ...journey });
  graphs.set(wire, graph);
  return graph;
};
