import { reportAiTurn as contract } from '../../shared/contracts/ai.ts';
import { turnView } from '../../shared/domain/tracking/ai-turn.ts';
import { reportTurn } from '../../shared/domain/tracking/report-turn.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { turnPorts } from '../../shared/wiring/contacts/ai-turns.ts';

export const handler = operation(
  contract,
  ({ actor, body, idempotencyKey }) => reportTurn(turnPorts, actor, body, idempotencyKey),
  ({ turn, replayed }) => ({ ...turnView(turn), ...(replayed ? { replayed } : {}) }),
);
