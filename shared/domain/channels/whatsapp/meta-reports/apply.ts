import type { Tenant } from '../../../core/actor.ts';
import { isRefusal } from '../../../core/errors.ts';
import type { FlowPorts } from '../flows/flow.ts';
import { updateFlow } from '../flows/flows.ts';
import { flowStateAfter } from '../flows/publish.ts';
import { META_FLOW_STATUSES } from '../numbers/meta-port.ts';
import type { TemplatePorts } from '../templates/template.ts';
import { applyAccountReport, applyNumberReport } from './number-reports.ts';
import { isLater, type MetaReport, type MetaReportEffect, type ReportAbout } from './report.ts';
import { applyTemplateReport } from './template-reports.ts';

type Ports = Pick<TemplatePorts & FlowPorts, 'clock' | 'flows' | 'numbers' | 'templates'>;

/** Meta blocks, throttles and releases flows on its own. */
const applyFlow = async (ports: Ports, owner: Tenant, event: ReportAbout<'flow'>): Promise<MetaReportEffect> => {
  const platformStatus = META_FLOW_STATUSES.find((each) => each === event.status);
  const id = platformStatus && (await ports.flows.named(owner.organizationId, event));
  if (!id) return 'unmatched';
  const report = { at: event.at, event: event.status };
  let changed = false;
  const outcome = await updateFlow(ports, owner, id, (before) => {
    const final = platformStatus === 'DEPRECATED' && before.platformStatus !== platformStatus;
    changed = before.status !== 'draft' && (final || isLater(report, before.heard));
    return changed ? { ...flowStateAfter(before, platformStatus), heard: report } : undefined;
  });
  if (isRefusal(outcome)) return 'unmatched';
  return changed ? 'kept' : 'repeated';
};

/**
 * Applies a Meta event about an organization's template, flow, number or account, in one conditional transaction with the event it raises.
 * Idempotent; regardless of delivery order, the latest event by Meta's clock wins
 * (docs/spec/whatsapp-numbers.md#what-the-platform-reports).
 */
export const applyMetaReport = (ports: Ports, owner: Tenant, event: MetaReport): Promise<MetaReportEffect> => {
  switch (event.about) {
    case 'template':
    case 'template_category':
    case 'template_components':
      return applyTemplateReport(ports, owner, event);
    case 'flow':
      return applyFlow(ports, owner, event);
    case 'number_name':
    case 'number_quality':
      return applyNumberReport(ports, owner, event);
    case 'account':
    case 'account_limit':
      return applyAccountReport(ports, owner, event);
  }
};
