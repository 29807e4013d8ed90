import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { CarrierSettings } from '../../../shared/domain/smpp/carrier.ts';

const CONNECT_MS = 10_000;

/** Connects to a carrier; over TLS its certificate is verified, by the carrier's name. Rejects with the error of the socket, or after 10 s. */
export const connectToCarrier = ({ host, port, tls, tlsCa }: CarrierSettings): Promise<Socket> => {
  const socket = tls
    ? connectTls({
        host,
        port,
        ...(isIP(host) ? {} : { servername: host }),
        ...(tlsCa === undefined ? {} : { ca: tlsCa }),
      })
    : connectPlain({ host, port });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error('The carrier does not answer.')), CONNECT_MS);
    const failed = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    socket.once('error', failed);
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      socket.off('error', failed);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
};
