/** A template as Meta names it. */
interface TemplateRef {
  readonly wabaId: string;
  readonly platformTemplateId: string;
  readonly name: string;
  readonly language: string;
}

/** The texts of a template as Meta reports them: without examples, media and button actions other than links. */
export interface ReportedTemplateText {
  readonly body: string;
  /** Present only for a text header. */
  readonly header?: string | undefined;
  readonly footer?: string | undefined;
  /** All buttons in order; absent where none is a URL or a phone number. */
  readonly buttons?:
    | readonly {
        readonly type: string;
        readonly text?: string | undefined;
        readonly url?: string | undefined;
        readonly phoneNumber?: string | undefined;
      }[]
    | undefined;
}

/** A webhook event from Meta about a template, a number, a flow or an account rather than about a message. */
export type MetaEvent = { readonly kind: 'platform' /** ms */; readonly at: number } & (
  | (TemplateRef & {
      readonly about: 'template';
      /** APPROVED, REJECTED, PENDING, PAUSED, DISABLED, or another of Meta's review states. */
      readonly event: string;
      readonly reason?: string;
      /** MARKETING, UTILITY or AUTHENTICATION: the category at the time of the event. */
      readonly category?: string;
    })
  /** The category that a template has now, or keeps until an announced change. */
  | (TemplateRef & { readonly about: 'template_category'; readonly category: string })
  /** A template was edited at Meta. */
  | (TemplateRef & { readonly about: 'template_components' } & ReportedTemplateText)
  | {
      readonly about: 'number_quality';
      readonly wabaId: string;
      readonly displayPhone: string;
      readonly event: string;
      readonly currentLimit?: string;
    }
  | { readonly about: 'account'; readonly wabaId: string; readonly event: string; readonly detail?: string }
  /** The result of a display name review: APPROVED, REJECTED, PENDING or DEFERRED. */
  | {
      readonly about: 'number_name';
      readonly wabaId: string;
      readonly displayPhone: string;
      readonly decision: string;
      readonly name: string;
    }
  /** A flow's new status, in Meta's terms. */
  | { readonly about: 'flow'; readonly wabaId: string; readonly platformFlowId: string; readonly status: string }
  /** The messaging limit tier of all numbers of an account, in Meta's terms. */
  | { readonly about: 'account_limit'; readonly wabaId: string; readonly limit: string }
  /** A person stopped or resumed marketing messages from a number. */
  | {
      readonly about: 'preference';
      readonly phoneNumberId: string;
      /** E.164, or the user id of a person whose phone is hidden. */
      readonly from: string;
      readonly value: 'stop' | 'resume';
    }
);
