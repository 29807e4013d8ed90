import { Timeline } from '@mantine/core';
import { useTexts } from '../../app/texts.ts';
import type { MessageTimeline } from '../../sdk.ts';
import { Coins, Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';

export type Step = MessageTimeline['items'][number];

/** The decisions on a message, oldest first. */
export const TimelineView = ({ steps }: { readonly steps: readonly Step[] }) => {
  const t = useTexts(texts);
  return (
    <Timeline bulletSize={14} lineWidth={2}>
      {steps.map(({ at, kind, detail, coins }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added, and two may be alike.
        <Timeline.Item key={index} title={t.kinds[kind] ?? kind}>
          <div className="line">
            {detail}
            {coins === undefined ? null : (
              <>
                {' · '}
                <Coins coins={coins} />
              </>
            )}
          </div>
          <div className="note" data-small>
            <Time at={at} />
          </div>
        </Timeline.Item>
      ))}
    </Timeline>
  );
};
