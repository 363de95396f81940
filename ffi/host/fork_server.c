/*
 * Starts a compiler once and runs it many times: loaded before a program (LD_PRELOAD), it waits where `main` would begin,
 * its libraries loaded and bound, and for each request forks a process in which `main` runs. Loading is 60 ms of the
 * 110 ms that clang takes for an empty source.
 *
 * A request on standard input: the count of arguments, each argument, and the text for the program's own standard input.
 * The answer on standard output: the exit status, what the program wrote on its own standard output, and on its error
 * output. Counts, lengths and the status are 32-bit words in the machine's order; what has a length follows it. The
 * process ends where its input does, and after IDLE_MS without a request.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
/** Set by who wants a server; a program that inherits the library without it runs as ever. */
#define ASKED "TF_FORK_SERVER"

enum { IDLE_MS = 10000, STREAMS = 3, MOST_ARGUMENTS = 4096, SIGNALLED = 128 };

typedef int Main(int, char **, char **);
typedef int Start(Main *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

static Main *program_main;

/* --- words and bytes of a pipe --- */

static void must(int holds) {
  if (!holds) _exit(1); // whoever asked then starts the program by itself
}

static int read_whole(void *to, size_t bytes) {
  for (char *at = to; bytes > 0;) {
    ssize_t got = read(STDIN_FILENO, at, bytes);
    if (got <= 0) return 0;
    at += got, bytes -= (size_t)got;
  }
  return 1;
}

static uint32_t read_word(void) {
  uint32_t word;
  must(read_whole(&word, sizeof word));
  return word;
}

static void write_whole(const void *from, size_t bytes) {
  for (const char *at = from; bytes > 0;) {
    ssize_t put = write(STDOUT_FILENO, at, bytes);
    must(put > 0);
    at += put, bytes -= (size_t)put;
  }
}

static char *read_text(uint32_t length) {
  char *text = malloc((size_t)length + 1);
  must(text != NULL && read_whole(text, length));
  text[length] = 0;
  return text;
}

/* --- a request and its answer --- */

struct request {
  int argc;
  char **argv;
  int streams[STREAMS];
};

static int read_input(void) {
  int file = memfd_create("input", MFD_CLOEXEC);
  uint32_t length = read_word();
  must(file >= 0 && ftruncate(file, length) == 0);
  if (length == 0) return file;
  char *text = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  must(text != MAP_FAILED && read_whole(text, length) && munmap(text, length) == 0);
  return file;
}

static struct request read_request(uint32_t argc) {
  must(argc > 0 && argc <= MOST_ARGUMENTS);
  struct request request = {.argc = (int)argc, .argv = calloc(argc + 1, sizeof(char *))};
  must(request.argv != NULL);
  for (uint32_t i = 0; i < argc; i++) request.argv[i] = read_text(read_word());
  request.streams[STDIN_FILENO] = read_input();
  for (int i = STDOUT_FILENO; i < STREAMS; i++) must((request.streams[i] = memfd_create("output", MFD_CLOEXEC)) >= 0);
  return request;
}

static void write_stream(int file) {
  struct stat found;
  must(fstat(file, &found) == 0 && found.st_size <= UINT32_MAX);
  uint32_t length = (uint32_t)found.st_size;
  write_whole(&length, sizeof length);
  for (off_t at = 0; at < found.st_size;) must(sendfile(STDOUT_FILENO, file, &at, length - (size_t)at) > 0);
}

static void answer(struct request *request, int status) {
  uint32_t code = (uint32_t)(WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED + WTERMSIG(status));
  write_whole(&code, sizeof code);
  for (int i = STDOUT_FILENO; i < STREAMS; i++) write_stream(request->streams[i]);
  for (int i = 0; i < STREAMS; i++) close(request->streams[i]);
  for (int i = 0; i < request->argc; i++) free(request->argv[i]);
  free(request->argv);
}

static int is_waited_for(void) {
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  return poll(&input, 1, IDLE_MS) == 1;
}

/** In the place of the program's `main`: returns only in a process that was forked for a request, with what it gave. */
static int serve(int argc, char **argv, char **environment) {
  (void)argc, (void)argv;
  uint32_t count;
  while (is_waited_for() && read_whole(&count, sizeof count)) {
    struct request request = read_request(count);
    pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
      for (int i = 0; i < STREAMS; i++) must(dup2(request.streams[i], i) == i);
      return program_main(request.argc, request.argv, environment);
    }
    int status;
    must(waitpid(child, &status, 0) == child);
    answer(&request, status);
  }
  _exit(0);
}

EXPORT int __libc_start_main(Main *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                             void (*loader_fini)(void), void *stack_end) {
  Start *start = (Start *)dlsym(RTLD_NEXT, "__libc_start_main");
  program_main = main;
  int asked = getenv(ASKED) != NULL && argc == 1; // a script's interpreter has the script as an argument
  unsetenv(ASKED);
  unsetenv("LD_PRELOAD");
  return start(asked ? serve : main, argc, argv, init, fini, loader_fini, stack_end);
}
