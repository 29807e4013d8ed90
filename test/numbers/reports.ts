import type { WhatsappFlow } from '../../shared/domain/channels/whatsapp/flows/flow.ts';
import type { MetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/report.ts';
import type { WhatsappNumber } from '../../shared/domain/channels/whatsapp/numbers/number.ts';
import type { WhatsappTemplate } from '../../shared/domain/channels/whatsapp/templates/template.ts';

/** The time of second 0: reports are dated by seconds after it. */
const AT = Date.parse('2026-03-10T11:00:00Z');
const report = (about: MetaReport['about'], seconds: number, fields: object) =>
  ({ kind: 'platform', about, at: AT + seconds * 1000, ...fields }) as MetaReport;

/** A report on a number's quality. Meta names its phone without the plus sign. */
export const quality = (
  { wabaId, displayPhone }: WhatsappNumber,
  event: string,
  seconds: number,
  currentLimit?: string,
): MetaReport =>
  report('number_quality', seconds, {
    wabaId,
    displayPhone: displayPhone.slice(1),
    event,
    ...(currentLimit === undefined ? {} : { currentLimit }),
  });

export const displayName = (
  { wabaId, displayPhone }: WhatsappNumber,
  decision: string,
  name: string,
  seconds: number,
): MetaReport => report('number_name', seconds, { wabaId, displayPhone: displayPhone.slice(1), decision, name });

export const account = (wabaId: string, event: string, seconds: number, detail?: string): MetaReport =>
  report('account', seconds, { wabaId, event, ...(detail === undefined ? {} : { detail }) });

export const accountLimit = (wabaId: string, limit: string, seconds: number): MetaReport =>
  report('account_limit', seconds, { wabaId, limit });

export const flowStatus = (
  { wabaId, platformFlowId = '' }: Pick<WhatsappFlow, 'wabaId' | 'platformFlowId'>,
  status: string,
  seconds: number,
): MetaReport => report('flow', seconds, { wabaId, platformFlowId, status });

/** Reports on a template: the status with Meta's code of the language, the others with ours. */
export const reportsOn = ({ wabaId, platformTemplateId = '', name, language }: WhatsappTemplate) => {
  const about = { wabaId, platformTemplateId, name, language };
  return {
    status: (event: string, seconds: number, fields: object = {}) =>
      report('template', seconds, { ...about, language: language.replace('-', '_'), event, ...fields }),
    category: (category: string, seconds: number) => report('template_category', seconds, { ...about, category }),
    text: (fields: object, seconds: number) => report('template_components', seconds, { ...about, ...fields }),
  };
};

/** Every order of a list. */
export const orders = <T>(items: readonly T[]): T[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((item, at) => orders(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
