import { once } from 'node:events';
import type { Server } from 'node:http';
import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { containerFunctions, logFault, stageNamed } from './container.ts';
import { makeGateway } from './gateway.ts';
import { gatewayStage } from './serve.ts';
import type { Stage } from './stages.ts';

/**
 * The gateway service: with `-c gatewayService=true`, containers per stage that serve the operations with a streamed body, by the local
 * stack's gateway and functions.
 */

/** The load balancer's health check. */
const HEALTH_PATH = '/health';
/** Longer than the load balancer's idle time-out, so that the balancer closes connections first; in ms. */
const KEEP_ALIVE_MS = 125_000;

/** Whether the container serves the operation: streamed bodies and the health check. */
export const isServed = ({ request, path }: OperationContract): boolean =>
  request.stream !== undefined || path === HEALTH_PATH;

/** Settings of a container of the gateway service. */
export interface ServiceOptions {
  readonly stage: Stage;
  /** Holds `bundle/` and `manifest.json` of a build. */
  readonly dist: string;
  readonly port: number;
  readonly host: string;
}

/** Serves one stage under both stage names: its authorizer refuses the other stage's credentials. */
const startService = async ({
  stage,
  dist,
  port,
  host,
}: ServiceOptions): Promise<{ server: Server; close(): Promise<void> }> => {
  const { functions, remove } = await containerFunctions(stage, dist);
  const served = gatewayStage(functions);
  const stages = { live: served, test: served };
  const onFault = logFault('gateway fault');
  const server = makeGateway({ operations: OPERATIONS.filter(isServed), stages: () => stages, onFault });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(port, host);
  await once(server, 'listening');
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeIdleConnections();
    await closed;
    await remove();
  };
  return { server, close };
};

const main = async (): Promise<void> => {
  const { STAGE, PORT = '8080', HOST = '0.0.0.0', DIST = import.meta.dirname } = process.env;
  const service = await startService({ stage: stageNamed(STAGE), dist: DIST, port: Number(PORT), host: HOST });
  // Finishes the uploads in flight; the load balancer has stopped sending new requests by then.
  process.on('SIGTERM', () => void service.close().then(() => process.exit(0)));
  console.log(JSON.stringify({ level: 'INFO', message: 'ready', stage: STAGE, port: service.server.address() }));
};

if (import.meta.main) await main();
