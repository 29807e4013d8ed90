import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Journey } from '../../sdk.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { chunkOf } from '../../ui/chunk.tsx';
import type { ActionProps, JourneyAct } from './journey-dialogs.tsx';
import { texts } from './texts.ts';

// Loaded once one is opened.
const JourneyDialog = chunkOf(() => import('./journey-dialogs.tsx'));

const offeredFor = ({ status, gatilho }: Journey): readonly JourneyAct[] => {
  if (status === 'rascunho') return ['activate', 'remove'];
  if (status === 'pausada') return ['resume', 'archive'];
  if (status === 'ativa') return [...(gatilho.tipo === 'manual' ? (['enter'] as const) : []), 'archive'];
  return [];
};

/** The actions on a version in its status that the person may do. */
export const JourneyActions = ({ journey, onRefused }: ActionProps) => {
  const t = useTexts(texts);
  const may = useMay();
  const [dialog, setDialog] = useState<JourneyAct>();
  return (
    <>
      <Button variant="default" component={Link} to={`/journeys/${journey.id}/simulate`}>
        {t.simulate}
      </Button>
      <Button variant="default" component={Link} to={`/journeys/${journey.id}/runs`}>
        {t.runs}
      </Button>
      {may('campaigns:write') && journey.status === 'ativa' ? (
        <ActionButton
          label={t.pause}
          act={() => api.journeys.pause(journey.id)}
          invalidates={[['journey'], ['journeys']]}
        />
      ) : null}
      {may('campaigns:write')
        ? offeredFor(journey).map((each) => (
            <Button
              key={each}
              variant={each === 'activate' || each === 'resume' ? 'filled' : 'default'}
              onClick={() => setDialog(each)}
            >
              {t[each]}
            </Button>
          ))
        : null}
      {dialog ? (
        <JourneyDialog.Component
          act={dialog}
          journey={journey}
          onRefused={onRefused}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
    </>
  );
};
