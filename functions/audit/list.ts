import { listAudit as contract } from '../../shared/contracts/audit.ts';
import { auditView } from '../../shared/domain/audit/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { listAudit } from '../../shared/storage/audit/audit-log.ts';
import { cursorRequest } from '../../shared/wiring/access/cursor-lists.ts';
import { clock, table } from '../../shared/wiring/process/aws.ts';

const moment = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));

export const handler = operation(
  contract,
  async ({ actor, query }) => {
    const { from, to, actor: by, action, object } = query;
    const filter = { actor: by, action, object, from: moment(from), to: moment(to) };
    const request = await cursorRequest(contract, actor, query);
    return listAudit(table, actor.organizationId, filter, { ...request, now: clock() });
  },
  itemsAs(auditView),
);
