import { randomUUID } from 'node:crypto';
import { type RunningCarrier, startCarrier } from './carrier/start.ts';
import { lambdaContext, type StageFunctions } from './functions.ts';
import { type AccountCounts, type Certificate, type SmppServer, startSmppServer } from './smpp-server.ts';
import type { SmppStages } from './smpp-stages.ts';
import type { Stage } from './stages.ts';

const STANDARD_PORT = 2775;
const STANDARD_CARRIER_PORT = 2776;
const STANDARD_TLS_PORT = 3550;
/** The timeout of a call to one of the service's functions. */
const CALL_MS = 28_000;

/** A port, 0 for any free one, or the standard one if it is free. */
export type WantedPort = number | 'standard';

export interface SmppCounts extends AccountCounts {
  /** Open binds to the carrier; undefined without a carrier. */
  readonly carrierBinds: number | undefined;
}

/** The SMPP listeners of a process: for binds of accounts, and for messages to the carrier, to which it binds. */
export interface RunningSmpp {
  readonly smppPort: number | undefined;
  readonly smppTlsPort: number | undefined;
  readonly carrierPort: number | undefined;
  /** The current counts. */
  counts(): SmppCounts;
  /** Unbinds on both sides, and frees the binds. */
  close(): Promise<void>;
}

export interface SmppOptions {
  readonly smppPort: WantedPort;
  /** Absent: this process does not bind to a carrier. */
  readonly carrierPort?: WantedPort | undefined;
  /** The additional TLS listener. */
  readonly tls?: (Certificate & { readonly port: WantedPort }) | undefined;
  readonly host: string;
  /** The address of this process for other processes of the service; by default the host. */
  readonly address?: string;
  /** The stage whose carrier it binds to. */
  readonly carrierStage?: Stage;
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

/** Listens for SMPP. Rejects with the socket's error if a port given by number is unavailable. */
export const startSmpp = async (options: SmppOptions): Promise<RunningSmpp> => {
  const {
    smppPort,
    carrierPort,
    tls,
    host,
    address = host,
    carrierStage = 'live',
    functionsOf,
    onFault,
    onNews,
  } = options;
  const invoke: SmppStages['invoke'] = async (stage, name, event) => {
    const [functions, path] = [functionsOf(stage), `smpp-service/${name}`];
    const handler = functions.loaded(path) ?? (await functions.load(path));
    return handler(event, lambdaContext(path, `smpp-${randomUUID()}`, CALL_MS));
  };
  const listen = (wanted: WantedPort, standard: number, certificate?: Certificate): Promise<SmppServer | undefined> => {
    const at = { port: wanted === 'standard' ? standard : wanted, host, ...(certificate ? { certificate } : {}) };
    return orTaken(wanted, startSmppServer(at, { invoke, onFault }));
  };
  const bindToCarrier = (wanted: WantedPort): Promise<RunningCarrier | undefined> => {
    const at = { port: wanted === 'standard' ? STANDARD_CARRIER_PORT : wanted, host, address };
    return orTaken(wanted, startCarrier(at, { stage: carrierStage, invoke, onFault, onNews }));
  };
  const server = await listen(smppPort, STANDARD_PORT);
  const secure = tls && (await listen(tls.port, STANDARD_TLS_PORT, { cert: tls.cert, key: tls.key }));
  const carrier = carrierPort === undefined ? undefined : await bindToCarrier(carrierPort);
  const servers = [server, secure].flatMap((one) => one ?? []);
  return {
    smppPort: server?.port,
    smppTlsPort: secure?.port,
    carrierPort: carrier?.port,
    counts: () => {
      const counts = servers.map((one) => one.counts());
      const sum = (name: keyof AccountCounts) => counts.reduce((total, one) => total + one[name], 0);
      const isSetUp = carrier?.service.key !== undefined;
      return {
        connections: sum('connections'),
        binds: sum('binds'),
        refusedBinds: sum('refusedBinds'),
        notTaken: sum('notTaken'),
        carrierBinds: isSetUp ? carrier.service.openBinds : undefined,
      };
    },
    close: async () => void (await Promise.all([...servers.map((one) => one.close()), carrier?.close()])),
  };
};
