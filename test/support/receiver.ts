import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { undocumentedIn } from './event-shapes.ts';
import { listening } from './loopback.ts';

/** A request that an endpoint received: the exact bytes of its body, and its headers in lower case. */
export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly event: { id: string; type: string; sequence?: number; env: string; data: Record<string, unknown> };
}

/**
 * An endpoint on loopback that records what it receives; answers 200 with `thanks` unless a test says otherwise. Its end fails if an event's data was not
 * as the document describes it.
 */
export const startReceiver = async (thanks = 'thanks') => {
  const received: Received[] = [];
  const undocumented = new Set<string>();
  let statusOf: (event: Received) => number = () => 200;
  const server = createServer((incoming, outgoing) => {
    const receive = (body: string) => {
      const entry: Received = { headers: incoming.headers as Record<string, string>, body, event: JSON.parse(body) };
      received.push(entry);
      const fault = undocumentedIn(entry.event.type, entry.event.data);
      if (fault) undocumented.add(fault);
      outgoing.writeHead(statusOf(entry)).end(thanks);
    };
    text(incoming).then(receive, () => {});
  });
  const { url, close } = await listening(server);
  return {
    url: `${url}/hook`,
    received,
    /** Without validations and requested examples. */
    events: () => received.filter(({ event }) => event.sequence !== undefined),
    answer: (next: (event: Received) => number) => {
      statusOf = next;
    },
    close: async () => {
      await close();
      if (undocumented.size > 0) throw new Error([...undocumented].join('\n'));
    },
  };
};
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
