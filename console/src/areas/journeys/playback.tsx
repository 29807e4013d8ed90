import { Button, Group, List, Paper, Slider, Stack, Text, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Journey, JourneySimulation } from '../../sdk.ts';
import { chunkOf } from '../../ui/chunk.tsx';
import { Loading } from '../../ui/states.tsx';
import { Coins, Time } from '../../ui/values.tsx';
import { runTexts } from './run-texts.ts';
import { momentsOf, spanOf, stateAt, type Visit } from './simulation.ts';
import { stepTexts } from './step-texts.ts';
import { useStepWords } from './step-words.ts';

const Canvas = chunkOf(() => import('./canvas.tsx'));
// Loaded before there is a simulation to show.
Canvas.preload();

interface ClockProps {
  readonly simulation: JourneySimulation;
  readonly now: number;
  readonly onMove: (now: number) => void;
}

/** The virtual clock: dragged to any moment, or moved from one change to the next. */
const Clock = ({ simulation, now, onMove }: ClockProps) => {
  const t = useTexts(runTexts);
  const format = useFormat();
  const { from, to } = spanOf(simulation);
  const moments = useMemo(() => momentsOf(simulation), [simulation]);
  const before = moments.findLast((moment) => moment < now);
  const after = moments.find((moment) => moment > now);
  const written = (moment: number) => format.dateTime(new Date(moment).toISOString());
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {t.clock}: <Time at={new Date(now).toISOString()} />
      </Text>
      <Slider
        thumbLabel={t.clock}
        thumbProps={{ 'aria-valuetext': written(now) }}
        min={0}
        max={Math.max(to - from, 1)}
        step={Math.max(Math.floor((to - from) / 500), 1)}
        value={now - from}
        onChange={(value) => onMove(from + value)}
        label={(value) => written(from + value)}
        marks={moments.map((moment) => ({ value: moment - from }))}
      />
      <Text size="xs" c="dimmed">
        {t.clockHint}
      </Text>
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          disabled={before === undefined}
          onClick={() => before !== undefined && onMove(before)}
        >
          {t.previous}
        </Button>
        <Button
          variant="default"
          size="xs"
          disabled={after === undefined}
          onClick={() => after !== undefined && onMove(after)}
        >
          {t.next}
        </Button>
      </Group>
    </Stack>
  );
};

const Messages = ({ visits }: { readonly visits: readonly Visit[] }) => {
  const t = useTexts(runTexts);
  const sent = visits.filter(({ mensagem, resultado }) => mensagem !== undefined && resultado === 'enviada');
  return (
    <Stack gap="xs" component="section" aria-label={t.messages}>
      <Title order={3} size="h5">
        {t.messages}
      </Title>
      {sent.length === 0 ? <Text size="sm">{t.noMessages}</Text> : null}
      {sent.map(({ passo, visita, em, mensagem }) => (
        <Paper key={`${passo} ${visita}`} withBorder p="sm" maw="32rem">
          <Text size="xs" c="dimmed">
            {mensagem?.canal} · <Time at={em} />
          </Text>
          {mensagem?.assunto ? (
            <Text size="sm" fw={600} className="breakable">
              {mensagem.assunto}
            </Text>
          ) : null}
          <Text size="sm" className="breakable" data-simulated-text>
            {mensagem?.texto ?? mensagem?.template}
          </Text>
          {mensagem?.coins === undefined ? null : (
            <Text size="xs" c="dimmed">
              <Coins coins={mensagem.coins} />
            </Text>
          )}
        </Paper>
      ))}
    </Stack>
  );
};

const Visits = ({ visits }: { readonly visits: readonly Visit[] }) => {
  const t = useTexts(runTexts);
  const steps = useTexts(stepTexts);
  const words = useStepWords();
  return (
    <Stack gap="xs" component="section" aria-label={t.steps}>
      <Title order={3} size="h5">
        {t.steps}
      </Title>
      <List type="ordered" size="sm">
        {visits.map((visit) => (
          <List.Item key={`${visit.passo} ${visit.visita}`} className="breakable">
            <b>{words.nameOf(visit)}</b>: {steps.results[visit.resultado]}
            {visit.detalhe ? ` · ${visit.detalhe}` : ''} · <Time at={visit.em} />
          </List.Item>
        ))}
      </List>
    </Stack>
  );
};

/** A simulation as it is at the moment that its clock shows. */
export const Playback = ({
  journey,
  simulation,
}: {
  readonly journey: Journey;
  readonly simulation: JourneySimulation;
}) => {
  const t = useTexts(runTexts);
  const ends = useTexts(stepTexts).ends;
  const words = useStepWords();
  const [now, setNow] = useState(() => spanOf(simulation).from);
  const { done, current, isOver, marks, coins } = stateAt(simulation, now);
  const { fim } = simulation;
  return (
    <Stack>
      <Paper withBorder p="md">
        <Clock simulation={simulation} now={now} onMove={setNow} />
        <Group gap="md" mt="sm" role="status">
          <Text size="sm">
            {current ? t.at(words.nameOf(current)) : null}
            {isOver ? t.over([ends[fim.motivo], fim.detalhe].filter(Boolean).join(' · ')) : null}
          </Text>
          <Text size="sm">
            {t.spent}: <Coins coins={coins} />
          </Text>
        </Group>
      </Paper>
      <Canvas.Component graph={journey} marks={marks} waiting={<Loading rows={8} />} />
      <Visits visits={done} />
      <Messages visits={done} />
    </Stack>
  );
};
