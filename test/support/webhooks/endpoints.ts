import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import * as tls from 'node:tls';
import { onTestFinished } from 'vitest';
import { type ConnectionOptions, createConnections } from '../../../shared/providers/webhooks/connections.ts';

/** A public address of the tests' endpoints, to which connections are made on this machine. */
export const PUBLIC = '93.184.216.34';
/** Another one, of the other family. */
export const PUBLIC_V6 = '2606:2800:220:1::1';

const material = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
export const CERT = material('tls-test-only.cert.pem');
const KEY = material('tls-test-only.key.pem');

/** Until the end of the test, clients of this process trust `CERT`. */
export const trustCert = (): void => {
  const before = tls.getCACertificates();
  onTestFinished(() => tls.setDefaultCACertificates(before));
  tls.setDefaultCACertificates([...before, CERT]);
};

export interface Endpoint {
  readonly port: number;
  /** Connections that reached it. */
  readonly connections: () => number;
  close(): Promise<void>;
}

const listening = async (server: net.Server): Promise<Endpoint> => {
  const sockets = new Set<net.Socket>();
  let reached = 0;
  server.on('connection', (socket: net.Socket) => {
    reached++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    connections: () => reached,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** An https endpoint. */
export const httpsEndpoint = (handler: http.RequestListener, options: https.ServerOptions = {}): Promise<Endpoint> =>
  listening(https.createServer({ key: KEY, cert: CERT, keepAliveTimeout: 60_000, ...options }, handler));

/** A plain http endpoint. */
export const httpEndpoint = (handler: http.RequestListener): Promise<Endpoint> => listening(http.createServer(handler));

/** An endpoint that answers a request with raw bytes over TLS. */
export const rawTlsEndpoint = (answer: (socket: tls.TLSSocket, request: string) => void): Promise<Endpoint> =>
  listening(
    tls.createServer({ key: KEY, cert: CERT }, (socket) => {
      socket.on('error', () => {});
      socket.on('data', (bytes) => answer(socket, bytes.toString('latin1')));
    }),
  );

/** An endpoint below TLS. */
export const tcpEndpoint = (connected: (socket: net.Socket) => void): Promise<Endpoint> =>
  listening(net.createServer(connected));

/** Connections that lead any public address to one port of this machine, with a DNS of the test. */
export const connectionsTo = (port: number, options: Partial<ConnectionOptions> = {}) =>
  createConnections({
    allowLoopbackHttp: false,
    ca: CERT,
    resolve: async () => [PUBLIC],
    connect: () => net.connect(port, '127.0.0.1'),
    ...options,
  });
