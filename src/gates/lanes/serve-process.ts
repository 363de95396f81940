/** The entry of a child process: it is told what to serve, opens its device, then runs the jobs that it is sent. */
import type { JobAsk, LaneSetup, ServerWord } from './lane.ts';
import { Server, textOf } from './server.ts';
import { startWatchdog } from './watchdog.ts';

/** The word by which a process is told to serve jobs. */
export const SERVE_JOBS = '--serve-jobs';

/** What a parent sends: the setup first, then jobs, then the end. */
export type ParentWord =
  | { readonly kind: 'setup'; readonly setup: LaneSetup }
  | { readonly kind: 'job'; readonly ask: JobAsk }
  | { readonly kind: 'close' };

/** Words are written before this returns, so that the last one says where a process was when it died. */
const tell = (word: ServerWord): void => void process.send?.(word);

/** Serves the parent of this process. */
export function serveProcess(): void {
  let server: Server | undefined;
  const take = async (word: ParentWord): Promise<void> => {
    if (word.kind === 'setup') {
      const watched = startWatchdog(word.setup.options.limitMs);
      server = await Server.open(word.setup, tell, watched);
      tell({ kind: 'ready' });
    } else if (word.kind === 'job') await server?.serve(word.ask);
    else {
      server?.close();
      process.disconnect?.();
    }
  };
  process.on('message', (word: ParentWord) => {
    take(word).catch((error: unknown) => tell({ kind: 'unable', why: textOf(error) }));
  });
  tell({ kind: 'listens' });
}
