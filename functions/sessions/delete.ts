import { deleteSession as contract } from '../../shared/contracts/sessions.ts';
import { endSession } from '../../shared/domain/access/sessions.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { sessionPorts } from '../../shared/wiring/access/sign-in.ts';

export const handler = operation(contract, ({ actor, params }) => endSession(sessionPorts, actor, params.id));
