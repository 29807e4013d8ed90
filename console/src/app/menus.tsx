import { ActionIcon, Menu, SegmentedControl, Text, useMantineColorScheme } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { CircleUser, LogOut, MonitorX, Settings } from 'lucide-react';
import { ProblemView } from '../ui/problem-view.tsx';
import { chooseEnvironment, type Environment, signOut, useSession } from './session.ts';
import { shellTexts } from './shell-texts.ts';
import { LANGUAGES, type Language, useLanguage, useTexts } from './texts.ts';
import { mayDiscard } from './unsaved-guard.ts';

const SCHEMES = ['auto', 'light', 'dark'] as const;

/** Live or test: two stages with people, data and wallets of their own. */
export const EnvironmentSwitch = () => {
  const t = useTexts(shellTexts);
  const { environment } = useSession();
  const choose = async (chosen: Environment) => {
    if (await mayDiscard()) chooseEnvironment(chosen);
  };
  return (
    <SegmentedControl
      size="xs"
      aria-label={t.environment}
      color={environment === 'live' ? 'blue' : 'gray'}
      value={environment}
      onChange={(chosen) => void choose(chosen as Environment)}
      data={(['live', 'test'] as const).map((value) => ({ value, label: t.environments[value] }))}
    />
  );
};

/** Language and colour scheme: of this browser. */
export const SettingsMenu = () => {
  const t = useTexts(shellTexts);
  const { language, choose } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" closeOnItemClick={false} width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t.settings}>
          <Settings size={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t.language}</Menu.Label>
        <Menu.RadioGroup value={language} onChange={(chosen) => choose(chosen as Language)}>
          {LANGUAGES.map((each) => (
            <Menu.RadioItem key={each} value={each} lang={each}>
              {t.languages[each]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t.scheme}</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(chosen) => setColorScheme(chosen as (typeof SCHEMES)[number])}>
          {SCHEMES.map((each) => (
            <Menu.RadioItem key={each} value={each}>
              {t.schemes[each]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
};

/** Who is signed in, and the ways out. */
export const PersonMenu = () => {
  const t = useTexts(shellTexts);
  const { session } = useSession();
  const signingOut = useMutation({
    mutationFn: async (everywhere: boolean) => {
      if (await mayDiscard()) await signOut({ everywhere });
    },
  });
  if (!session) return null;
  const { name, email, role } = session.person;
  return (
    <Menu position="bottom-end" width={260} closeOnItemClick={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`${t.account}: ${name}`}>
          <CircleUser size={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label component="div">
          <Text size="sm" fw={600} className="breakable" data-person>
            {name}
          </Text>
          <Text size="xs" className="breakable">
            {email}
          </Text>
          <Text size="xs">{t.roles[role]}</Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} onClick={() => signingOut.mutate(false)}>
          {t.signOut}
        </Menu.Item>
        <Menu.Item leftSection={<MonitorX size={16} aria-hidden />} onClick={() => signingOut.mutate(true)}>
          {t.signOutEverywhere}
        </Menu.Item>
        <ProblemView error={signingOut.error} />
      </Menu.Dropdown>
    </Menu>
  );
};
