import './journeys.css';
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import { QueryView } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Playback } from './playback.tsx';
import { runTexts } from './run-texts.ts';
import { ScenarioForm } from './scenario-form.tsx';
import { type Scenario, simulationOf } from './simulation.ts';
import { texts } from './texts.ts';

/** A version played through for a contact, on a clock that one drags. */
export default function SimulatePage() {
  const t = useTexts(runTexts);
  const back = useTexts(texts).back;
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const journey = useQuery({ queryKey: ['journey', id], queryFn: ({ signal }) => api.journeys.get(id, { signal }) });
  // Each simulation begins at its own beginning.
  const [played, setPlayed] = useState(0);
  const playing = useMutation({
    mutationFn: (scenario: Scenario) => api.journeys.simulate(id, simulationOf(scenario)),
    onSuccess: () => setPlayed((count) => count + 1),
  });
  return (
    <Page
      title={journey.data ? `${t.simulation}: ${journey.data.name}` : t.simulation}
      description={t.simulationHint}
      actions={
        <Button variant="default" component={Link} to={`/journeys/${id}`}>
          {back}
        </Button>
      }
    >
      <QueryView query={journey}>
        {(data) => (
          <div className="simulation-grid">
            <ScenarioForm journey={data} busy={playing.isPending} onPlay={playing.mutate} />
            <div>
              <ProblemView error={playing.error} />
              {playing.data ? <Playback key={played} journey={data} simulation={playing.data} /> : null}
            </div>
          </div>
        )}
      </QueryView>
    </Page>
  );
}
