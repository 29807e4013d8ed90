import type { QueryClient } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { Scope } from './session.ts';
import type { Language } from './texts.ts';

/** Groups of the navigation, in their order. */
export const GROUPS = ['start', 'send', 'audience', 'sales', 'build', 'manage', 'stage'] as const;
export type Group = (typeof GROUPS)[number];

/** Where a page is opened: the parameters of its path, and its search. */
export interface Opening {
  readonly params: Readonly<Record<string, string>>;
  readonly search: Readonly<Record<string, string>>;
}

/** A page of an area, loaded when it is opened. */
export interface AreaPage {
  /** Below the area's path: `/`, or with parameters as `/$id`. */
  readonly path: `/${string}`;
  readonly load: () => Promise<{ readonly default: ComponentType }>;
  /** Asks for what it shows, into the cache, while its files are loaded. */
  readonly ask?: (cache: QueryClient, opening: Opening) => void;
}

/** An area of the console: docs/console.md#how-to-add-an-area. */
export interface Area {
  /** Its first segment below `/console`; empty for the start page. */
  readonly path: string;
  readonly title: Readonly<Record<Language, string>>;
  readonly group: Group;
  readonly icon: LucideIcon;
  /** The scope without which the area is of no use: it is then not in the navigation. Absent: for everybody. */
  readonly scope?: Scope;
  readonly pages: readonly AreaPage[];
}

/** Declares an area. */
export const defineArea = (area: Area): Area => area;
