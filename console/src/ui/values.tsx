import { Link } from '@tanstack/react-router';
import type { AriaAttributes, ReactNode } from 'react';
import { useFormat } from '../app/format.ts';
import type { Card, Message } from '../sdk.ts';

/** A moment, in the person's time zone; the title names day and zone. */
export const Time = ({ at, relative = false }: { readonly at: string | undefined; readonly relative?: boolean }) => {
  const format = useFormat();
  if (at === undefined) return <>—</>;
  return (
    <time dateTime={at} title={format.exact(at)}>
      {relative ? format.relative(at) : format.dateTime(at)}
    </time>
  );
};

/** Coins, as reais. */
export const Coins = ({ coins }: { readonly coins: number }) => {
  const format = useFormat();
  return <span title={`${format.number(coins)} coins`}>{format.coins(coins)}</span>;
};

/** How a status is: good, bad, on its way, over. */
export type Tone = 'good' | 'bad' | 'pending' | 'neutral';

/** A status in words, with a colour that repeats them. A plain element: tables show one in each row. */
export const Status = ({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) => (
  <span className="status" data-tone={tone}>
    {children}
  </span>
);

/** A tag of a contact. */
export const Tag = ({ children }: { readonly children: ReactNode }) => <span className="tag">{children}</span>;

/** Tags side by side; the title names all of them. */
export const TagGroup = ({ title, children }: { readonly title?: string; readonly children: ReactNode }) => (
  <div className="tags" title={title}>
    {children}
  </div>
);

/** How a message stands, wherever it is shown. */
export const MESSAGE_TONES: Readonly<Record<Message['status'], Tone>> = {
  queued: 'pending',
  sending: 'pending',
  sent: 'pending',
  delivered: 'good',
  read: 'good',
  failed: 'bad',
  archived: 'neutral',
};

/** How a deal stands, wherever it is shown. */
export const CARD_TONES: Readonly<Record<Card['status'], Tone>> = { aberto: 'pending', ganho: 'good', perdido: 'bad' };

interface StateOfProps<S extends string> {
  readonly state: S;
  readonly tones: Readonly<Record<S, Tone>>;
  readonly words: Readonly<Record<S, string>>;
}

/** One of a thing's states, by the tone and the word that each has. */
export const StateOf = <S extends string>({ state, tones, words }: StateOfProps<S>) => (
  <Status tone={tones[state]}>{words[state]}</Status>
);

interface AppLinkProps extends AriaAttributes {
  /** Below `/console`. */
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  /** Always underlined, not only under the pointer: for a link within a text. */
  readonly underlined?: boolean;
  readonly children: ReactNode;
}

/** A link to a page of the console. */
export const AppLink = ({ to, search, underlined, children, ...aria }: AppLinkProps) => (
  <Link
    to={to}
    // The router's types know the parameters of routes that are written down; those of areas are a list.
    {...(search ? { search: search as never } : {})}
    className="app-link"
    data-underlined={underlined || undefined}
    {...aria}
  >
    {children}
  </Link>
);

/** A name and its value, in a list of facts. */
export const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt className="note">{name}</dt>
    <dd className="breakable">{children}</dd>
  </div>
);

/** Facts side by side; below each other on a phone. */
export const Facts = ({ children }: { readonly children: ReactNode }) => <dl className="facts">{children}</dl>;
