import type { Id } from '../../core/ids.ts';
import type { Clock } from '../../core/time.ts';
import type { Page, PageRequest } from '../../message/lists.ts';
import type { TemplateVariable } from './placeholders.ts';

/** Source formats. MJML is compiled to HTML when the template is saved. */
export const TEMPLATE_FORMATS = ['html', 'mjml'] as const;
export type TemplateFormat = (typeof TEMPLATE_FORMATS)[number];

/** A template without its contents, as in lists. Times in ms. */
export interface TemplateSummary {
  readonly id: Id<'emailTemplate'>;
  readonly organizationId: Id<'organization'>;
  readonly name: string;
  readonly subject: string;
  readonly format: TemplateFormat;
  readonly variables: readonly TemplateVariable[];
  /** Optimistic lock: every change is conditional on the version that was read. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface TemplateContents {
  readonly source: string;
  /** The source itself, or the compiled MJML. */
  readonly html: string;
  /** Plain-text part; if absent, generated from each e-mail's HTML. */
  readonly text?: string | undefined;
}
export type EmailTemplate = TemplateSummary & TemplateContents;

/** Result of saving a template; `templateId` is the template that already has the name. */
export type SaveOutcome =
  | { readonly kind: 'saved' }
  | { readonly kind: 'taken'; readonly templateId: Id<'emailTemplate'> }
  /** The contents exceed a row even when compressed. */
  | { readonly kind: 'too_large' }
  /** The organization has the maximum number of templates. */
  | { readonly kind: 'limit_reached' }
  /** Concurrently changed or deleted. */
  | { readonly kind: 'conflict' };

/** Stores e-mail templates. Each change is one conditional transaction; retrying after a lost response gives the same outcome. */
export interface TemplateStore {
  create(template: EmailTemplate): Promise<SaveOutcome>;
  /** Replaces `before` by `after`. */
  change(before: EmailTemplate, after: EmailTemplate): Promise<SaveOutcome>;
  /** Returns false if it was concurrently changed or deleted. */
  remove(template: TemplateSummary): Promise<boolean>;
  read(organizationId: Id<'organization'>, id: Id<'emailTemplate'>): Promise<EmailTemplate | undefined>;
  /** Looks up a template by name. */
  named(organizationId: Id<'organization'>, name: string): Promise<Id<'emailTemplate'> | undefined>;
  /** Newest first; `q` matches a part of the name, ignoring case and accents. */
  page(organizationId: Id<'organization'>, q: string | undefined, page: PageRequest): Promise<Page<TemplateSummary>>;
}

/** Result of compiling MJML; `line` counts from 1. */
export type Compiled =
  | { readonly kind: 'html'; readonly html: string }
  | {
      readonly kind: 'invalid';
      readonly errors: readonly { readonly line?: number | undefined; readonly message: string }[];
    };

export interface TemplatePorts {
  readonly clock: Clock;
  readonly store: TemplateStore;
}
/** Additional ports for saving: only the functions that save bundle the compiler. */
export interface TemplateSavePorts extends TemplatePorts {
  readonly compileMjml: (source: string) => Promise<Compiled>;
}
