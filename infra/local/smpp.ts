import { randomUUID } from 'node:crypto';
import { type RunningCarrier, startCarrier } from './carrier/start.ts';
import { lambdaContext, type StageFunctions } from './functions.ts';
import type { SmppStages } from './smpp-connection.ts';
import { type SmppServer, startSmppServer } from './smpp-server.ts';
import type { Stage } from './stages.ts';

const STANDARD_PORT = 2775;
const STANDARD_CARRIER_PORT = 2776;
/** How long a call of one of the service's functions may take. */
const CALL_MS = 28_000;

/** A port, 0 for any free one, or the standard one unless it is taken. */
export type WantedPort = number | 'standard';

/** What listens for SMPP in a process: for binds of accounts, and for messages to the carrier, which it binds to. */
export interface RunningSmpp {
  readonly smppPort: number | undefined;
  readonly carrierPort: number | undefined;
  /** Unbinds on both sides, and frees the binds. */
  close(): Promise<void>;
}

export interface SmppOptions {
  readonly smppPort: WantedPort;
  /** Absent: this process binds to no carrier. */
  readonly carrierPort?: WantedPort | undefined;
  readonly host: string;
  readonly functionsOf: (stage: Stage) => StageFunctions;
  readonly onFault: (where: string, error: unknown) => void;
  readonly onNews: (line: Readonly<Record<string, unknown>>) => void;
}

const orTaken = async <T>(wanted: WantedPort, listening: Promise<T>): Promise<T | undefined> => {
  try {
    return await listening;
  } catch (error) {
    if (wanted === 'standard' && (error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
};

/** Listens for SMPP. Rejects with the error of the socket where a port that is wanted by its number cannot be had. */
export const startSmpp = async (options: SmppOptions): Promise<RunningSmpp> => {
  const { smppPort, carrierPort, host, functionsOf, onFault, onNews } = options;
  const invoke: SmppStages['invoke'] = async (stage, name, event) => {
    const [functions, path] = [functionsOf(stage), `smpp-service/${name}`];
    const handler = functions.loaded(path) ?? (await functions.load(path));
    return handler(event, lambdaContext(path, `smpp-${randomUUID()}`, CALL_MS));
  };
  const port = smppPort === 'standard' ? STANDARD_PORT : smppPort;
  const server = await orTaken<SmppServer>(smppPort, startSmppServer({ port, host }, { invoke, onFault }));
  const at = { port: carrierPort === 'standard' ? STANDARD_CARRIER_PORT : (carrierPort ?? 0), host, address: host };
  const stage = { stage: 'live', invoke, onFault, onNews } as const;
  const carrier =
    carrierPort === undefined ? undefined : await orTaken<RunningCarrier>(carrierPort, startCarrier(at, stage));
  return {
    smppPort: server?.port,
    carrierPort: carrier?.port,
    close: async () => void (await Promise.all([server?.close(), carrier?.close()])),
  };
};
