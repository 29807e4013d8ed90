import type { Id } from '../ids.ts';
import type { Clock } from '../time.ts';
import type { TemplateVariable } from './placeholders.ts';

/** How a template's source is written. MJML is compiled to html when it is saved. */
export const TEMPLATE_FORMATS = ['html', 'mjml'] as const;
export type TemplateFormat = (typeof TEMPLATE_FORMATS)[number];

/** A template without its contents: what lists show. Times are ms. */
export interface TemplateSummary {
  readonly id: Id<'emailTemplate'>;
  readonly organizationId: Id<'organization'>;
  readonly name: string;
  readonly subject: string;
  readonly format: TemplateFormat;
  readonly variables: readonly TemplateVariable[];
  /** Counts the changes: a change holds only over the version that it was made of. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface TemplateContents {
  readonly source: string;
  /** The source itself, or what MJML was compiled to. */
  readonly html: string;
  /** The plain-text part; absent where it is made from the html of each e-mail. */
  readonly text?: string | undefined;
}
export type EmailTemplate = TemplateSummary & TemplateContents;

/** What stood in the way of a template; `templateId` is whose name it is. */
export type SaveOutcome =
  | { readonly kind: 'saved' }
  | { readonly kind: 'taken'; readonly templateId: string }
  /** The contents do not fit a row, compressed. */
  | { readonly kind: 'too_large' }
  /** The organization has as many templates as it may have. */
  | { readonly kind: 'full' }
  /** It was changed or deleted meanwhile. */
  | { readonly kind: 'moved' };

/** Where e-mail templates are kept. Each change is one conditional transaction; a repeat whose answer was lost has the same outcome. */
export interface TemplateStore {
  create(template: EmailTemplate): Promise<SaveOutcome>;
  /** Puts `after` in the place of `before`. */
  change(before: EmailTemplate, after: EmailTemplate): Promise<SaveOutcome>;
  /** False when it was changed meanwhile, or is gone. */
  remove(template: TemplateSummary): Promise<boolean>;
  read(organizationId: string, id: string): Promise<EmailTemplate | undefined>;
  /** The id of the organization's template with this name. */
  named(organizationId: string, name: string): Promise<string | undefined>;
  /** Newest first; `q` looks for a part of the name, without case or accents. */
  page(
    organizationId: string,
    q: string | undefined,
    page: { readonly skip: number; readonly limit: number },
  ): Promise<{ readonly items: readonly TemplateSummary[]; readonly total: number }>;
}

/** What compiling MJML came to; `line` counts from 1. */
export type Compiled =
  | { readonly kind: 'html'; readonly html: string }
  | {
      readonly kind: 'faulty';
      readonly faults: readonly { readonly line?: number | undefined; readonly message: string }[];
    };

export interface TemplatePorts {
  readonly clock: Clock;
  readonly store: TemplateStore;
}
/** What saving needs besides: the compiler is in the functions that save alone. */
export interface TemplateSavePorts extends TemplatePorts {
  readonly compileMjml: (source: string) => Promise<Compiled>;
}
