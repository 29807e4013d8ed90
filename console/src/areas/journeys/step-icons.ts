import {
  CalendarClock,
  CircleStop,
  Clock,
  GitFork,
  KanbanSquare,
  type LucideIcon,
  Send,
  SlidersHorizontal,
  Split,
  Tag,
  Webhook,
} from 'lucide-react';
import type { StepKind } from './graph.ts';

export const STEP_ICONS: Readonly<Record<StepKind, LucideIcon>> = {
  enviar: Send,
  esperar: Clock,
  esperar_evento: CalendarClock,
  condicao: GitFork,
  divisao: Split,
  etiqueta: Tag,
  atributo: SlidersHorizontal,
  mover_cartao: KanbanSquare,
  webhook: Webhook,
  sair: CircleStop,
};
