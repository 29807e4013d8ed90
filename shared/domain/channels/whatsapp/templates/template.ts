import type { Id } from '../../../core/ids.ts';
import type { Patch } from '../../../core/patch.ts';
import type { DomainEvent } from '../../../events/event.ts';
import type { Page, PageRequest } from '../../../message/lists.ts';
import type { MediaStore } from '../media/ports.ts';
import type { LastReport } from '../numbers/number.ts';
import type { NumberPorts } from '../numbers/ports.ts';

/** Values of a template's fields (docs/spec/whatsapp-templates.md#template-shape). */
export const TEMPLATE_LANGUAGES = ['pt-BR', 'en-US', 'es-ES'] as const;
export type TemplateLanguage = (typeof TEMPLATE_LANGUAGES)[number];
export const TEMPLATE_CATEGORIES = ['marketing', 'utility', 'authentication'] as const;
export type TemplateCategory = (typeof TEMPLATE_CATEGORIES)[number];
export const TEMPLATE_STATUSES = [
  'draft',
  'submitted',
  'pending',
  'approved',
  'rejected',
  'paused',
  'disabled',
] as const;
export type TemplateStatus = (typeof TEMPLATE_STATUSES)[number];

/** A component: `payload` is everything that Meta takes besides the type. */
export interface TemplateComponent {
  readonly type: string;
  readonly payload?: unknown;
}

/** A stored WhatsApp template (docs/spec/whatsapp-templates.md#template-shape). Times in ms. */
export interface WhatsappTemplate {
  readonly id: Id<'template'>;
  readonly organizationId: Id<'organization'>;
  readonly numberId: Id<'number'>;
  /** The number's business account, which owns the template at Meta. */
  readonly wabaId: string;
  readonly name: string;
  readonly language: TemplateLanguage;
  readonly category: TemplateCategory;
  readonly status: TemplateStatus;
  readonly components: readonly TemplateComponent[];
  readonly headerExampleUrl?: string | undefined;
  readonly platformTemplateId?: string | undefined;
  readonly rejectionReason?: string | undefined;
  /** Status before submission, restored if Meta refuses it. */
  readonly submittedFrom?: 'draft' | 'rejected' | undefined;
  /** Status before Meta archived it. */
  readonly archivedFrom?: TemplateStatus | undefined;
  /** The last review event applied. */
  readonly heard?: LastReport | undefined;
  /** The last category event applied. */
  readonly categoryHeard?: LastReport | undefined;
  /** The last event on its text applied. */
  readonly wordsHeard?: LastReport | undefined;
  /** The last verdict that raised an event, with its version: each verdict raises one. */
  readonly announced?: string | undefined;
  /** Counts edits of the contents, from 1. */
  readonly version: number;
  /** Optimistic lock: every change is conditional on the revision that was read. */
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Result of storing a template; `templateId` is the template that already has the name. */
export type TemplateOutcome =
  | { readonly kind: 'saved' }
  | { readonly kind: 'taken'; readonly templateId: Id<'template'> }
  | { readonly kind: 'limit_reached' }
  | { readonly kind: 'conflict' };

export type TemplateFilter = Patch<Pick<WhatsappTemplate, 'status' | 'category' | 'language' | 'numberId'>>;

/**
 * Stores templates. Each change commits in one conditional transaction with its events; retrying after a lost response gives the same
 * outcome.
 */
export interface TemplateStore {
  create(template: WhatsappTemplate): Promise<TemplateOutcome>;
  change(before: WhatsappTemplate, after: WhatsappTemplate, events?: readonly DomainEvent[]): Promise<TemplateOutcome>;
  /** Returns false if it was concurrently changed or deleted. */
  remove(template: WhatsappTemplate): Promise<boolean>;
  read(organizationId: Id<'organization'>, id: Id<'template'>): Promise<WhatsappTemplate | undefined>;
  /** The organization's templates of a name, in every language and account. */
  named(organizationId: Id<'organization'>, name: string): Promise<readonly WhatsappTemplate[]>;
  /** Newest first. */
  page(organizationId: Id<'organization'>, filter: TemplateFilter, page: PageRequest): Promise<Page<WhatsappTemplate>>;
}

export interface TemplatePorts extends NumberPorts {
  readonly templates: TemplateStore;
  /** The organization's media; undefined if there is none or it has expired at `now` (ms). */
  readonly findMedia: MediaStore['find'];
}
