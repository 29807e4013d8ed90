import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium as playwright } from 'playwright-core';
import { withBuildLock } from '../../infra/build/build-lock.ts';

/** Unpacked once a run: files that start at once would run each other's half-written one. */
const executable = (): Promise<string> =>
  withBuildLock(join(tmpdir(), 'chromium-lock'), () => chromium.executablePath());

/** Made for pages that trust what they load; here what a browser refuses is tested. */
const UNWANTED = ['--disable-web-security', '--allow-running-insecure-content', '--single-process', '--no-zygote'];

// The pages have no WebGL: without an emulated graphics card they take a third less processor time.
chromium.setGraphicsMode = false;

/** A Chromium of its own. */
export const startBrowser = async (): Promise<Browser> =>
  playwright.launch({
    executablePath: await executable(),
    args: [...chromium.args.filter((argument) => !UNWANTED.includes(argument)), '--disable-gpu'],
    headless: true,
  });

const COMMON = { locale: 'pt-BR', timezoneId: 'America/Sao_Paulo', reducedMotion: 'reduce' } as const;
export const DESKTOP: BrowserContextOptions = { ...COMMON, viewport: { width: 1280, height: 800 } };
export const PHONE: BrowserContextOptions = {
  ...COMMON,
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
};
