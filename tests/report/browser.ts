/** A headless browser for tests of the page, spoken to in its own protocol. Absent where none is installed. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const BROWSER = ['chromium', 'chromium-browser', 'google-chrome', 'chrome']
  .map((name) => Bun.which(name))
  .find((path) => path !== null);

export interface Screen {
  readonly width: number;
  readonly height?: number;
  readonly dark?: boolean;
}

export interface Page {
  /** The value of an expression in the page. */
  readonly evaluate: (expression: string) => Promise<unknown>;
  /** Everything that the page logged, threw, or tried to load. */
  readonly told: readonly string[];
  /** A PNG of the window, or of the whole page. */
  readonly screenshot: (whole?: boolean) => Promise<Uint8Array>;
  readonly close: () => Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** Opens an address and waits until it is loaded. */
export async function openPage(url: string, { width, height = 900, dark = false }: Screen): Promise<Page> {
  const profile = mkdtempSync(join(tmpdir(), 'tf-browser-'));
  const child = Bun.spawn(
    [
      BROWSER ?? '',
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdout: 'ignore', stderr: 'pipe', env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: 'disabled:' } },
  );
  const close = async (): Promise<void> => {
    child.kill();
    await child.exited;
    // The browser's own children write a last time while they end.
    for (let tries = 0; existsSync(profile) && tries < 20; tries++) {
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
      await Bun.sleep(50);
    }
  };
  try {
    const { send, told, loaded } = await connect(await addressIn(child.stderr));
    await send('Page.enable');
    await send('Runtime.enable');
    await send('Network.enable');
    await send('Log.enable');
    await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
    const features = [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }];
    await send('Emulation.setEmulatedMedia', { features });
    await send('Page.navigate', { url });
    await loaded;
    return {
      evaluate: async (expression) => {
        const answer = await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
        if (answer['exceptionDetails']) throw new Error(JSON.stringify(answer['exceptionDetails']));
        return (answer['result'] as { value?: unknown }).value;
      },
      told,
      screenshot: async (whole = false) => {
        const { data } = await send('Page.captureScreenshot', { captureBeyondViewport: whole });
        return Uint8Array.fromBase64(String(data));
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The debugging port, which the browser writes to its errors. */
async function addressIn(stderr: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of stderr) {
    text += decoder.decode(part, { stream: true });
    const [, port] = /DevTools listening on ws:\/\/[^:]+:(\d+)\//.exec(text) ?? [];
    if (port === undefined) continue;
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as Record<string, string>[];
    const page = targets.find(({ type }) => type === 'page')?.['webSocketDebuggerUrl'];
    if (page !== undefined) return page;
  }
  throw new Error(`the browser does not start:\n${text}`);
}

interface Connection {
  readonly send: (method: string, params?: object) => Promise<Record<string, unknown>>;
  readonly told: string[];
  readonly loaded: Promise<void>;
}

async function connect(address: string): Promise<Connection> {
  const socket = new WebSocket(address);
  const waiting = new Map<number, (message: Message) => void>();
  const told: string[] = [];
  const load = Promise.withResolvers<void>();
  let serial = 0;
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    else if (message.method === 'Page.loadEventFired') load.resolve();
    else if (['Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded'].includes(message.method ?? ''))
      told.push(JSON.stringify(message.params));
    else if (message.method === 'Network.requestWillBeSent') {
      const { url } = (message.params?.['request'] ?? { url: 'no address' }) as { url: string };
      if (!url.startsWith('file:')) told.push(`a request of ${url}`);
    }
  };
  await new Promise((open, fail) => {
    socket.onopen = open;
    socket.onerror = fail;
  });
  return {
    told,
    loaded: load.promise,
    send: (method, params = {}) =>
      new Promise((resolve, reject) => {
        const id = serial++;
        waiting.set(id, ({ result, error }) => (error ? reject(new Error(error.message)) : resolve(result ?? {})));
        socket.send(JSON.stringify({ id, method, params }));
      }),
  };
}
