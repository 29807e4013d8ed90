import type { Campaign, CampaignMessage, CreateCampaign, UpdateCampaign } from '../../sdk.ts';

export type Audience = CreateCampaign['audience'];

/** A message, with its name and weight where there are several. */
export interface Variant {
  readonly name: string;
  readonly weight: number;
  readonly message: CampaignMessage;
}

/** A campaign as it is edited. */
export interface CampaignForm {
  readonly name: string;
  readonly audience: Audience;
  readonly hasVariants: boolean;
  /** One, where there are no variants. */
  readonly variants: readonly Variant[];
  /** ISO 8601. */
  readonly scheduledAt?: string | undefined;
  readonly perMinute?: number | undefined;
  readonly maxCoins?: number | undefined;
  readonly campaignTag?: string | undefined;
  readonly capMessages?: number | undefined;
  readonly capDays?: number | undefined;
}

export const NEW_MESSAGE: CampaignMessage = { channel: 'sms', text: '' };
export const NEW_CAMPAIGN: CampaignForm = {
  name: '',
  audience: {},
  hasVariants: false,
  variants: [{ name: 'A', weight: 100, message: NEW_MESSAGE }],
};

export const formOf = (campaign: Campaign): CampaignForm => ({
  name: campaign.name,
  audience: campaign.audience,
  hasVariants: campaign.variants !== undefined,
  variants: campaign.variants ?? [{ name: 'A', weight: 100, message: campaign.message ?? NEW_MESSAGE }],
  scheduledAt: campaign.scheduledAt,
  perMinute: campaign.perMinute,
  maxCoins: campaign.maxCoins,
  campaignTag: campaign.campaignTag,
  capMessages: campaign.frequencyCap?.messages,
  capDays: campaign.frequencyCap?.days,
});

const OPTIONAL = ['scheduledAt', 'perMinute', 'maxCoins', 'campaignTag'] as const;

const filled = ({ audience }: CampaignForm): Audience =>
  Object.fromEntries(Object.entries(audience).filter(([, ids]) => ids.length > 0));

const contentOf = ({ hasVariants, variants }: CampaignForm) =>
  hasVariants ? { variants: [...variants] } : { message: variants[0]?.message ?? NEW_MESSAGE };

const capOf = ({ capMessages: messages, capDays: days }: CampaignForm) =>
  messages === undefined && days === undefined ? undefined : { messages, days };

/** The form as a campaign is created by. What is missing is named by the service. */
export const creationOf = (form: CampaignForm): CreateCampaign => {
  const cap = capOf(form);
  return {
    name: form.name,
    audience: filled(form),
    ...contentOf(form),
    ...Object.fromEntries(OPTIONAL.flatMap((field) => (form[field] === undefined ? [] : [[field, form[field]]]))),
    ...(cap ? { frequencyCap: cap as NonNullable<CreateCampaign['frequencyCap']> } : {}),
  };
};

/** The form as a campaign is changed by: what was emptied is cleared. */
export const changeOf = (form: CampaignForm): UpdateCampaign => {
  const cleared = Object.fromEntries([...OPTIONAL, 'frequencyCap'].map((field) => [field, null]));
  return { ...cleared, ...creationOf(form) };
};

/** The other kind of content: variants begin with the message that there is, and a message is the first of them. */
export const withVariants = (form: CampaignForm, hasVariants: boolean): CampaignForm => {
  if (hasVariants === form.hasVariants) return form;
  const message = form.variants[0]?.message ?? NEW_MESSAGE;
  const variants = hasVariants
    ? [
        { name: 'A', weight: 50, message },
        { name: 'B', weight: 50, message },
      ]
    : [{ name: 'A', weight: 100, message }];
  return { ...form, hasVariants, variants };
};
