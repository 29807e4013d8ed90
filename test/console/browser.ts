import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium as playwright } from 'playwright-core';
import { withBuildLock } from '../../infra/build/build-lock.ts';

/** Unpacked once a run: files that start at once would run each other's half-written one. */
export const executable = (): Promise<string> =>
  withBuildLock(join(tmpdir(), 'chromium-lock'), () => chromium.executablePath());

/** Made for pages that trust what they load; here what a browser refuses is tested. */
const UNWANTED = ['--disable-web-security', '--allow-running-insecure-content', '--single-process', '--no-zygote'];

// The pages have no WebGL: without an emulated graphics card they take a third less processor time.
chromium.setGraphicsMode = false;

/** How often a Chromium is started that ends before it is ready: rarely, one crashes in a thread of its own start. */
const ATTEMPTS = 3;

/** A Chromium of its own. Throws where each attempt to start it fails. */
export const startBrowser = async (executablePath: Promise<string> = executable()): Promise<Browser> => {
  const args = [...chromium.args.filter((argument) => !UNWANTED.includes(argument)), '--disable-gpu'];
  const options = { executablePath: await executablePath, args, headless: true };
  for (let attempt = 1; ; attempt++) {
    try {
      return await playwright.launch(options);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      console.error(`Chromium did not start, attempt ${attempt}:`, error);
    }
  }
};

const COMMON = { locale: 'pt-BR', timezoneId: 'America/Sao_Paulo', reducedMotion: 'reduce' } as const;
export const DESKTOP: BrowserContextOptions = { ...COMMON, viewport: { width: 1280, height: 800 } };
export const PHONE: BrowserContextOptions = {
  ...COMMON,
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
};
