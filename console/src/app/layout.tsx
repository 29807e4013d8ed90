import { Burger, Group, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { memo, useEffect } from 'react';
import { AREAS } from '../areas/index.ts';
import { type Area, GROUPS } from './area.ts';
import { usePlainLinks } from './links.ts';
import { EnvironmentSwitch, PersonMenu, SettingsMenu } from './menus.tsx';
import { useSession } from './session.ts';
import { shellTexts } from './shell-texts.ts';
import { useLanguage, useTexts } from './texts.ts';

const AreaLink = ({ area, onFollow }: { readonly area: Area; readonly onFollow: () => void }) => {
  const { language } = useLanguage();
  const to = `/${area.path}`;
  const isIn = (pathname: string) =>
    area.path === '' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`);
  const active = useLocation({ select: ({ pathname }) => isIn(pathname) });
  return (
    <NavLink
      component={Link}
      to={to}
      label={area.title[language]}
      leftSection={<area.icon size={18} aria-hidden />}
      active={active}
      aria-current={active ? 'page' : undefined}
      onClick={onFollow}
    />
  );
};

/** The areas that the person's role can use, by group. Memoized: a navigation renders only the two links whose state changes. */
const Navigation = memo(({ onFollow }: { readonly onFollow: () => void }) => {
  const t = useTexts(shellTexts);
  const { session } = useSession();
  const held = new Set(session?.scopes);
  const shown = AREAS.filter(({ scope }) => scope === undefined || held.has(scope));
  return GROUPS.map((group) => {
    const areas = shown.filter((area) => area.group === group);
    if (areas.length === 0) return null;
    return (
      <section key={group} aria-label={t.groups[group]}>
        <Text size="xs" c="dimmed" tt="uppercase" fw={600} px="sm" pt="md" pb={4} aria-hidden>
          {t.groups[group]}
        </Text>
        {areas.map((area) => (
          <AreaLink key={area.path} area={area} onFollow={onFollow} />
        ))}
      </section>
    );
  });
});

const Header = memo(({ opened, onToggle }: { readonly opened: boolean; readonly onToggle: () => void }) => {
  const t = useTexts(shellTexts);
  const { session } = useSession();
  return (
    <header className="frame-header">
      <Group gap="sm" wrap="nowrap" miw={0}>
        <Burger
          opened={opened}
          onClick={onToggle}
          hiddenFrom="sm"
          size="sm"
          aria-label={t.openNavigation}
          aria-expanded={opened}
        />
        <Text fw={650} truncate data-organization>
          {session?.organization.name}
        </Text>
      </Group>
      <Group gap="xs" wrap="nowrap">
        <EnvironmentSwitch />
        <SettingsMenu />
        <PersonMenu />
      </Group>
    </header>
  );
});

/** The frame of every page of a person who is signed in: header, navigation, and the page. */
export const Layout = () => {
  const t = useTexts(shellTexts);
  const { environment } = useSession();
  const [opened, { toggle, close }] = useDisclosure();
  const pathname = useLocation({ select: (location) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a phone the navigation ends when another page is there.
  useEffect(close, [pathname]);
  return (
    <div className="frame" data-environment={environment}>
      <a className="skip-link visually-hidden" href="#main">
        {t.skip}
      </a>
      <Header opened={opened} onToggle={toggle} />
      <nav className="frame-navigation" aria-label={t.navigation} data-opened={opened || undefined}>
        <Navigation onFollow={close} />
      </nav>
      <main id="main" className="frame-main" tabIndex={-1} {...usePlainLinks()}>
        <Outlet />
      </main>
    </div>
  );
};
