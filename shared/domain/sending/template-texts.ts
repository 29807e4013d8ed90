import { channelOf, type PlanPorts } from '../channels/registry.ts';
import type { Tenant } from '../core/actor.ts';
import { isRefusal } from '../core/errors.ts';
import { definedFields } from '../core/patch.ts';
import type { TemplateTexts } from '../message/define-channel.ts';
import type { SendRequest } from '../message/send-request.ts';
import { withTemplateText } from './template-text.ts';

/** Reads the texts of the template that a request names; none if it names none, or one that could not be sent. */
export type ReadTemplateTexts = (tenant: Tenant, request: SendRequest) => Promise<TemplateTexts>;

/** {@link ReadTemplateTexts} over the ports of the channels. */
export const templateTexts =
  (channels: PlanPorts): ReadTemplateTexts =>
  async (tenant, request) => {
    if (request.template === undefined) return {};
    const planning = await channelOf(request.channel).planning();
    if (planning.templateTexts) return planning.templateTexts(channels, tenant, request);
    const filled = await withTemplateText(channels, tenant, request);
    return isRefusal(filled) ? {} : definedFields({ text: filled.text });
  };
