import { heldBytes } from './fuzz.ts';
import { socketServer } from './kit.ts';

/*
 * A server in a separate process, so that its memory is measured alone: it prints its port, and on request the number of sessions and the
 * bytes in use.
 */
const server = await socketServer({ request: async () => ({ body: { messageId: 'msg_1' } }) });
process.send?.({ port: server.port });
process.on('message', () => {
  server.forget();
  process.send?.({ sessions: server.sessions.length, bytes: heldBytes() });
});
