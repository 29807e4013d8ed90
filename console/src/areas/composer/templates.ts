import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import type { Channel, Draft } from './draft.ts';

const LIMIT = 200;
const PLACEHOLDER = /\{\{\s*([\w.]+)\s*\}\}/g;

/** A template that can be sent, with the names of its variables. */
export interface Sendable {
  readonly id: string;
  readonly label: string;
  readonly variables: readonly string[];
}

const whatsappTemplates = async (signal: AbortSignal): Promise<Sendable[]> => {
  const { items } = await api.templates.list({ status: 'approved', limit: LIMIT }, { signal });
  return items.map(({ id, name, language, components }) => ({
    id,
    label: `${name} · ${language}`,
    variables: [...JSON.stringify(components).matchAll(PLACEHOLDER)].flatMap(([, variable]) => variable ?? []),
  }));
};

const emailTemplates = async (signal: AbortSignal): Promise<Sendable[]> => {
  const { items } = await api.emailTemplates.list({ limit: LIMIT }, { signal });
  return items.map(({ id, name, variables }) => ({ id, label: name, variables: variables.map((each) => each.name) }));
};

/** The templates of a channel: e-mail has its own, the others share those of WhatsApp. */
export const useTemplates = (channel: Channel, enabled: boolean) => {
  const isEmail = channel === 'email';
  return useQuery({
    queryKey: ['sendable-templates', isEmail],
    queryFn: ({ signal }) => (isEmail ? emailTemplates(signal) : whatsappTemplates(signal)),
    enabled,
    staleTime: 60_000,
  });
};

/** The names of all variables that the chosen templates have, each once. */
export const useVariableNames = ({ hops }: Draft): readonly string[] => {
  const uses = (isEmail: boolean) =>
    hops.some(({ channel, content }) => content === 'template' && (channel === 'email') === isEmail);
  const email = useTemplates('email', uses(true));
  const others = useTemplates('whatsapp', uses(false));
  const known = [...(email.data ?? []), ...(others.data ?? [])];
  const chosen = new Set(hops.filter(({ content }) => content === 'template').map(({ template }) => template));
  return [...new Set(known.filter(({ id }) => chosen.has(id)).flatMap(({ variables }) => variables))];
};
