import { heldBytes } from './fuzz.ts';
import { socketServer } from './kit.ts';

/*
 * A server in a process of its own, so that its memory is its own: it says its port, and then, whenever it is asked, how many sessions it has
 * and how many bytes it holds.
 */
const server = await socketServer({ request: async () => ({ body: { messageId: 'msg_1' } }) });
process.send?.({ port: server.port });
process.on('message', () => {
  server.forget();
  process.send?.({ sessions: server.sessions.length, bytes: heldBytes() });
});
