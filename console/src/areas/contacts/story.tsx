import { Text, Timeline } from '@mantine/core';
import { MessagesSquare } from 'lucide-react';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { ContactTimelineStep } from '../../sdk.ts';
import { Amount } from '../../ui/amount.tsx';
import { JsonView } from '../../ui/code-block.tsx';
import { RowLink } from '../../ui/data-table.tsx';
import { CursorView, useCursorList } from '../../ui/lists.tsx';
import { emptyState } from '../../ui/states.tsx';
import { AppLink, Time } from '../../ui/values.tsx';
import { pageTexts } from './page-texts.ts';
import { storyQuery } from './queries.ts';

const HOUR_MS = 3_600_000;
type CustomerEvent = NonNullable<ContactTimelineStep['event']>;

const EventStep = ({ event }: { readonly event: CustomerEvent }) => {
  const t = useTexts(pageTexts).story;
  const format = useFormat();
  const { value, currency, properties, attribution } = event;
  const after = attribution ? format.elapsed(attribution.horasAteOEvento * HOUR_MS) : undefined;
  return (
    <>
      {value === undefined ? null : (
        <div className="line">
          <Amount value={value} currency={currency} />
        </div>
      )}
      {attribution ? (
        <div className="line">
          <RowLink to={`/messages/${attribution.messageId}`}>
            {after === undefined ? t.attributedSoon : t.attributed(after)}
          </RowLink>
        </div>
      ) : null}
      {properties ? <JsonView value={properties} /> : null}
    </>
  );
};

const Step = ({ step }: { readonly step: ContactTimelineStep }) => {
  const t = useTexts(pageTexts).story;
  const { at, detail, messageId, turn, event } = step;
  return (
    <>
      <div className="line">{detail}</div>
      {turn?.text ? <div className="line">{turn.text}</div> : null}
      {event ? <EventStep event={event} /> : null}
      <div className="note" data-small>
        <Time at={at} />
        {messageId ? (
          <>
            {' · '}
            <RowLink to={`/messages/${messageId}`} underlined>
              {t.open}
            </RowLink>
          </>
        ) : null}
      </div>
    </>
  );
};

/** The timeline of a contact, newest first; `enabled`: false fetches nothing. */
export const useStory = (id: string, enabled = true) => useCursorList({ ...storyQuery(id), enabled });

/** The history between the organization and a person, on every channel, newest first. */
export const Story = ({ id }: { readonly id: string }) => {
  const t = useTexts(pageTexts).story;
  const timeline = useStory(id);
  return (
    <>
      <Text size="sm" pb="md">
        <AppLink to="/messages" search={{ contactId: id }}>
          {t.allMessages}
        </AppLink>
      </Text>
      <CursorView query={timeline} empty={emptyState(MessagesSquare, t.emptyTitle, t.empty)}>
        {(steps) => (
          <Timeline bulletSize={14} lineWidth={2}>
            {steps.map((step) => (
              <Timeline.Item
                key={`${step.at} ${step.kind} ${step.messageId ?? step.turn?.id ?? step.event?.id ?? step.detail}`}
                title={t.kinds[step.kind]}
              >
                <Step step={step} />
              </Timeline.Item>
            ))}
          </Timeline>
        )}
      </CursorView>
    </>
  );
};
