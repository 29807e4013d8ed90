import * as z from 'zod';
import { AUDIT_ACTIONS, STAGE_LOG } from '../../../shared/domain/audit/entry.ts';
import { auditView } from '../../../shared/domain/audit/views.ts';
import { newestAudit } from '../../../shared/storage/audit/audit-log.ts';
import { defineCommand } from '../command.ts';
import { env, id, shortText, timestamp, wholeNumber } from '../options.ts';

const auditList = defineCommand({
  name: 'audit list',
  summary: "Show an organization's audit log, newest first, or the stage's own",
  options: z.object({
    organization: id('organization', 'the organization (org_…); absent: acts on the stage itself').optional(),
    env,
    actor: shortText('only acts of this key or account, or of operator').optional(),
    action: z.enum(AUDIT_ACTIONS).optional().meta({ description: 'only this kind of act, as webhook.changed' }),
    object: shortText('only acts on this object').optional(),
    from: timestamp('only acts from this time on (ISO 8601)').optional(),
    to: timestamp('only acts up to this time (ISO 8601)').optional(),
    limit: wholeNumber(1, 'maximum number, 1 to 500 (default 100)').pipe(z.int().max(500)).default(100),
  }),
  run: async ({ tables }, { organization, env: chosen, limit, ...filter }) => {
    const entries = await newestAudit(tables[chosen], organization ?? STAGE_LOG, filter, { limit, now: Date.now() });
    return { data: { items: entries.map(auditView) } };
  },
});

/** Audit logs. */
export const AUDIT_COMMANDS = [auditList];
