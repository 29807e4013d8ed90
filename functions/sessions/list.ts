import { listSessions as contract } from '../../shared/contracts/sessions.ts';
import { listSessions, sessionView } from '../../shared/domain/access/sessions.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { sessionPorts } from '../../shared/wiring/access/sign-in.ts';
import { clock } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  ({ actor, query }) => listSessions(sessionPorts, actor, query.accountId, clock()),
  (sessions, { actor }) => ({ items: sessions.map((session) => sessionView(session, actor)) }),
);
