import { Code, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Message, MessageTimeline } from '../../sdk.ts';
import { JsonView } from '../../ui/code-block.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { textOf } from '../../ui/message-text.ts';
import { Page, Section } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { AppLink, Fact, Facts, Time } from '../../ui/values.tsx';
import { MessageActions } from './message-actions.tsx';
import { MessageEvents } from './message-events.tsx';
import { isOpen, MessageStatus } from './message-parts.tsx';
import { messageQuery, timelineQuery } from './queries.ts';
import { texts } from './texts.ts';
import { TimelineView } from './timeline.tsx';

const REFRESH_MS = 3_000;

const MOMENTS = ['createdAt', 'scheduledAt', 'sentAt', 'deliveredAt', 'readAt', 'failedAt'] as const;

const FactList = ({ message }: { readonly message: Message }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const { id, channel, direction, to, from, status, reason, lastError, attempts } = message;
  const optional: readonly (readonly [string, ReactNode])[] = [
    [t.facts.from, from],
    [t.facts.reason, reason],
    [t.facts.lastError, lastError],
    [
      t.facts.campaign,
      message.campaignId && (
        <AppLink to="/messages" search={{ campaignId: message.campaignId }}>
          {message.campaignId}
        </AppLink>
      ),
    ],
    [
      t.facts.batch,
      message.batchId && (
        <AppLink to="/messages" search={{ batchId: message.batchId }}>
          {message.batchId}
        </AppLink>
      ),
    ],
    [
      t.facts.contact,
      message.contactId && (
        <AppLink to="/messages" search={{ contactId: message.contactId }}>
          {message.contactId}
        </AppLink>
      ),
    ],
    [t.facts.sentBy, message.sentByName ?? message.sentByAccountId],
    [t.facts.template, message.templateId],
    [t.facts.provider, message.platformMessageId],
  ];
  return (
    <Facts>
      <Fact name={t.facts.status}>
        <MessageStatus status={status} />
      </Fact>
      <Fact name={t.facts.channel}>{`${channel ?? '—'} · ${direction === 'inbound' ? t.inbound : t.outbound}`}</Fact>
      <Fact name={t.facts.to}>{to}</Fact>
      {MOMENTS.filter((name) => message[name]).map((name) => (
        <Fact key={name} name={t.facts[name]}>
          <Time at={message[name]} />
        </Fact>
      ))}
      <Fact name={t.facts.attempts}>{format.number(attempts)}</Fact>
      {optional.map(([name, value]) =>
        value ? (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ) : null,
      )}
      <Fact name={t.facts.id}>
        <CopyText text={id} />
      </Fact>
    </Facts>
  );
};

const Lineage = ({ message }: { readonly message: Message }) => {
  const t = useTexts(texts);
  const links = [
    [t.replaces, message.replaces],
    [t.replacedBy, message.replacedBy],
    [t.inReplyTo, message.inReplyTo],
  ] as const;
  if (links.every(([, id]) => id === undefined)) return null;
  return (
    <Section title={t.lineage}>
      <Facts>
        {links.map(([name, id]) =>
          id ? (
            <Fact key={name} name={name}>
              <AppLink to={`/messages/${id}`}>{id}</AppLink>
            </Fact>
          ) : null,
        )}
      </Facts>
    </Section>
  );
};

const Content = ({ message }: { readonly message: Message }) => {
  const t = useTexts(texts);
  const text = textOf(message);
  const { payload, templateVars, metadata } = message;
  return (
    <Section title={t.content}>
      {text === undefined ? null : <p className="breakable">{text}</p>}
      {templateVars ? (
        <Code block className="breakable">
          {templateVars.join('\n')}
        </Code>
      ) : null}
      <JsonView value={{ payload, ...(metadata ? { metadata } : {}) }} />
    </Section>
  );
};

const Whole = ({
  message,
  timeline,
}: {
  readonly message: Message;
  readonly timeline: MessageTimeline | undefined;
}) => {
  const t = useTexts(texts);
  const steps = timeline?.items ?? [];
  const fallbacks = steps.filter(({ kind }) => kind === 'fallback');
  return (
    <Stack gap="xl">
      <FactList message={message} />
      <Content message={message} />
      <Lineage message={message} />
      {fallbacks.length > 0 ? (
        <Section title={t.fallbacks}>
          <TimelineView steps={fallbacks} />
        </Section>
      ) : null}
      <Section title={t.timeline}>{timeline ? <TimelineView steps={steps} /> : <Loading rows={3} />}</Section>
      <Section title={t.events}>{timeline ? <MessageEvents steps={steps} /> : <Loading rows={2} />}</Section>
    </Stack>
  );
};

/** A message and its timeline, fetched in parallel. The timeline is fetched again whenever the message has changed. */
const useMessage = (id: string) => {
  const message = useQuery({
    ...messageQuery(id),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? REFRESH_MS : false),
  });
  const timeline = useQuery({
    ...timelineQuery(id),
    // Deliveries of its events come after its last change.
    refetchInterval: 2 * REFRESH_MS,
  });
  const updatedAt = message.data && `${id} ${message.data.updatedAt}`;
  const known = useRef(updatedAt);
  const { refetch } = timeline;
  useEffect(() => {
    const before = known.current;
    known.current = updatedAt;
    if (before?.startsWith(`${id} `) && updatedAt !== undefined && before !== updatedAt) void refetch();
  }, [id, updatedAt, refetch]);
  return { message, timeline };
};

/** A message: its content, the decisions about it, the deliveries of its events, and the possible actions. */
export default function MessagePage() {
  const t = useTexts(texts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const { message, timeline } = useMessage(id);
  return (
    <Page title={t.message} actions={message.data ? <MessageActions message={message.data} /> : null}>
      <ProblemView
        error={message.error ?? timeline.error}
        onRetry={() => void (message.error ? message : timeline).refetch()}
      />
      {message.isPending && !message.error ? <Loading /> : null}
      {message.data ? <Whole message={message.data} timeline={timeline.data} /> : null}
    </Page>
  );
}
