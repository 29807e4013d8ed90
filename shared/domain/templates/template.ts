import type { DomainEvent } from '../events/event.ts';
import type { Id } from '../ids.ts';
import type { MediaStore } from '../media/ports.ts';
import type { Heard, NumberPorts } from '../numbers/number.ts';

/** interface 2.15. */
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

/** A part of a template: `payload` is all that the platform takes of it besides its type. */
export interface TemplateComponent {
  readonly type: string;
  readonly payload?: unknown;
}

/** A WhatsApp template (interface 2.15). Times are ms. */
export interface WhatsappTemplate {
  readonly id: Id<'template'>;
  readonly organizationId: Id<'organization'>;
  readonly numberId: Id<'number'>;
  /** The business account of its number: the platform keeps templates by account. */
  readonly wabaId: string;
  readonly name: string;
  readonly language: TemplateLanguage;
  readonly category: TemplateCategory;
  readonly status: TemplateStatus;
  readonly components: readonly TemplateComponent[];
  readonly headerExampleUrl?: string | undefined;
  readonly platformTemplateId?: string | undefined;
  readonly rejectionReason?: string | undefined;
  /** What it was before it was submitted: where it goes back to when the platform refuses to review it. */
  readonly submittedFrom?: 'draft' | 'rejected' | undefined;
  /** What it was before the platform archived it. */
  readonly archivedFrom?: TemplateStatus | undefined;
  /** The platform's latest word on its review. */
  readonly heard?: Heard | undefined;
  /** The platform's latest word on its category. */
  readonly categoryHeard?: Heard | undefined;
  /** The platform's latest word on what it says. */
  readonly wordsHeard?: Heard | undefined;
  /** The last verdict that was an event, and of which version: a verdict is told once. */
  readonly announced?: string | undefined;
  /** Counts the changes of its contents, from 1. */
  readonly version: number;
  /** Counts all changes: a change holds only over the revision that it was made of. */
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What stood in the way of a template; `templateId` is whose name it is. */
export type TemplateOutcome =
  | { readonly kind: 'saved' }
  | { readonly kind: 'taken'; readonly templateId: string }
  | { readonly kind: 'full' }
  | { readonly kind: 'moved' };

export interface TemplateFilter {
  readonly status?: TemplateStatus | undefined;
  readonly category?: TemplateCategory | undefined;
  readonly language?: TemplateLanguage | undefined;
  readonly numberId?: string | undefined;
}

/** Where templates are kept. Each change is one conditional transaction that carries its events; a repeat whose answer was lost has the same outcome. */
export interface TemplateStore {
  create(template: WhatsappTemplate): Promise<TemplateOutcome>;
  change(before: WhatsappTemplate, after: WhatsappTemplate, events?: readonly DomainEvent[]): Promise<TemplateOutcome>;
  /** False when it was changed meanwhile, or is gone. */
  remove(template: WhatsappTemplate): Promise<boolean>;
  read(organizationId: string, id: string): Promise<WhatsappTemplate | undefined>;
  /** The organization's templates of a name, in every language and account. */
  named(organizationId: string, name: string): Promise<readonly WhatsappTemplate[]>;
  /** Newest first. */
  page(
    organizationId: string,
    filter: TemplateFilter,
    page: { readonly skip: number; readonly limit: number },
  ): Promise<{ readonly items: readonly WhatsappTemplate[]; readonly total: number }>;
}

export interface TemplatePorts extends NumberPorts {
  readonly templates: TemplateStore;
  /** The organization's media of this id; undefined when there is none, or none any more at `now` (ms). */
  readonly findMedia: MediaStore['find'];
}
