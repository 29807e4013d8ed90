import { type AddressInfo, createServer } from 'node:net';
import { Session } from '../shared/smpp/session.ts';

/** A bare SMPP server, in a process of its own: the codec and the session, which answer each submit_sm without a service. Sends its port. */

let messages = 0;
/** As long as a message's id. */
const nextId = (): string => `msg_${String(++messages).padStart(26, '0')}`;

const server = createServer((socket) => {
  socket.setNoDelay(true);
  new Session({
    side: 'server',
    stream: socket,
    handlers: {
      bind: async () => ({ status: 'ESME_ROK', systemId: 'floor' }),
      request: async () => ({ body: { messageId: nextId() } }),
    },
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
