import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call on its way: what a hold is chosen by. */
export interface GateCall {
  readonly method: string;
  readonly path: string;
  /** `TransactWriteItems`, `UpdateItem`, …; empty where the target speaks another protocol. */
  readonly action: string;
  readonly body: string;
}

/** Where a call stops: before its target sees it, or after the target did it and before the caller hears of it. */
export type HoldAt = 'before' | 'after';

export interface Hold {
  /** Resolves when the first call has stopped here. */
  readonly reached: Promise<GateCall>;
  /** Lets go what stopped here, and all that follows. Answers when the held calls have reached the target. */
  release(): Promise<void>;
}

export interface Gate {
  readonly endpoint: string;
  /** Stops every call that matches, repeats included. One that several holds match is stopped, and reached, by each. */
  hold(at: HoldAt, matches: (call: GateCall) => boolean): Hold;
  /** Lets calls go their way again; those that stand still, or were not read yet, never arrive: their caller is gone. */
  clear(): void;
  /** Sees every call before anything is done with it. */
  watch(look: (call: GateCall) => void): void;
  close(): Promise<void>;
}

interface Standing {
  readonly at: HoldAt;
  readonly matches: (call: GateCall) => boolean;
  readonly reach: (call: GateCall) => void;
  readonly freed: Promise<void>;
  readonly forwarded: Promise<unknown>[];
}

interface Forwarded {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const readAll = async (stream: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

const forwarder = (target: string, agent: Agent) => (incoming: IncomingMessage, body: Buffer) =>
  new Promise<Forwarded>((resolve, reject) => {
    const { method = 'POST', headers } = incoming;
    const outgoing = request(new URL(incoming.url ?? '/', target), { method, headers, agent }, (answer) => {
      const { statusCode: status = 500 } = answer;
      readAll(answer).then((answered) => resolve({ status, headers: answer.headers, body: answered }), reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });

const callOf = (incoming: IncomingMessage, body: Buffer): GateCall => ({
  method: incoming.method ?? 'POST',
  path: incoming.url ?? '/',
  action:
    String(incoming.headers['x-amz-target'] ?? '')
      .split('.')
      .at(-1) ?? '',
  body: body.toString('utf8'),
});

/**
 * A proxy in which calls can be brought to a standstill at a chosen moment: so a process can be killed at a named step of its work
 * without a hook in its code.
 */
export const startGate = async (target: string): Promise<Gate> => {
  const agent = new Agent({ keepAlive: true });
  const forward = forwarder(target, agent);
  const watchers: ((call: GateCall) => void)[] = [];
  let holds: Standing[] = [];

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await readAll(incoming);
    const call = callOf(incoming, body);
    for (const look of watchers) look(call);
    const held = holds.filter(({ matches }) => matches(call));
    const stop = (where: HoldAt) =>
      Promise.all(
        held.flatMap(({ at, reach, freed }) => {
          if (at !== where) return [];
          reach(call);
          return [freed];
        }),
      );
    await stop('before');
    const answering = forward(incoming, body);
    for (const { forwarded } of held) forwarded.push(answering);
    const answer = await answering;
    await stop('after');
    outgoing.writeHead(answer.status, answer.headers);
    outgoing.end(answer.body);
  };

  const server = createServer((incoming, outgoing) => {
    outgoing.on('error', () => undefined);
    serve(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold(at, matches) {
      const reached = Promise.withResolvers<GateCall>();
      const freed = Promise.withResolvers<void>();
      const standing: Standing = { at, matches, reach: reached.resolve, freed: freed.promise, forwarded: [] };
      holds.push(standing);
      const release = async () => {
        holds = holds.filter((other) => other !== standing);
        freed.resolve();
        await new Promise((resolve) => setImmediate(resolve));
        await Promise.allSettled(standing.forwarded);
      };
      return { reached: reached.promise, release };
    },
    clear: () => {
      holds = [];
      server.closeAllConnections();
    },
    watch: (look) => {
      watchers.push(look);
    },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
