// The time limit of a launch: a signal to the thread that waits for it, again and again until it is stopped, since one that
// comes before the kernel's first instruction, or after the last check for it, ends nothing.
#include "device.h"
#if !defined(__APPLE__)
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#endif

namespace tf {

constexpr tf_u64 AGAIN_NS = 5000000;

#if defined(__APPLE__)

// No timer of this system signals one thread, so a thread of each device's own keeps its time.
struct Watch {
  DarwinMutex mutex;
  DarwinCondition changed;
  pthread_t waiting;
  tf_u64 left_ns, set; // 0: no limit; `set` counts the limits that were set
  bool closing;
};

tf_u64 this_thread() { return (tf_u64)pthread_self(); }

static void keep_time(Watch* w) {
  constexpr tf_u64 SECOND = 1000000000;
  timespec left = { (long)(w->left_ns / SECOND), (long)(w->left_ns % SECOND) };
  tf_u64 set = w->set;
  bool ended = false;
  while (!ended && w->set == set && !w->closing)
    ended = pthread_cond_timedwait_relative_np(&w->changed, &w->mutex, &left) != 0;
  if (!ended) return;
  w->left_ns = AGAIN_NS;
  pthread_kill(w->waiting, TIMER_SIGNAL);
}

static void* watch(void* argument) {
  Watch* w = (Watch*)argument;
  pthread_mutex_lock(&w->mutex);
  while (!w->closing) {
    if (w->left_ns) keep_time(w);
    else pthread_cond_wait(&w->changed, &w->mutex);
  }
  pthread_mutex_unlock(&w->mutex);
  os_unmap(w, sizeof *w);
  return nullptr;
}

static void change(Device* d, tf_u64 limit_ns, bool closing) {
  Watch* w = (Watch*)d->timer;
  if (!w) return;
  pthread_mutex_lock(&w->mutex);
  w->waiting = pthread_self();
  w->left_ns = limit_ns;
  w->set++;
  w->closing = closing;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->mutex);
}

static void open_watch(Device* d) {
  Watch* w = (Watch*)os_pages(sizeof(Watch));
  if (!w) return;
  w->mutex = DARWIN_MUTEX;
  w->changed = DARWIN_CONDITION;
  pthread_t thread;
  if (pthread_create(&thread, nullptr, watch, w)) return os_unmap(w, sizeof *w);
  pthread_detach(thread);
  d->timer = (tf_u64)w;
}

void timer_set(Device* d, tf_u64 limit_ns) {
  if (!d->timer) open_watch(d);
  d->timer_thread = this_thread();
  change(d, limit_ns, false);
}

void timer_stop(Device* d) { change(d, 0, false); }

void timer_close(Device* d) {
  change(d, 0, true);
  d->timer = d->timer_thread = 0;
}

#else

#if !defined(sigev_notify_thread_id)
#define sigev_notify_thread_id _sigev_un._tid
#endif

tf_u64 this_thread() { return (tf_u64)syscall(SYS_gettid); }

static void make_timer(Device* d) {
  tf_u64 thread = this_thread();
  if (d->timer_thread == thread) return;
  timer_close(d);
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = TIMER_SIGNAL;
  event.sigev_notify_thread_id = (int)thread;
  int timer = 0;
  if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0) d->timer_thread = thread;
  d->timer = (tf_u64)timer;
}

static void set_limit(Device* d, tf_u64 limit_ns) {
  struct itimerspec limit;
  memset(&limit, 0, sizeof limit);
  limit.it_value.tv_sec = (time_t)(limit_ns / 1000000000);
  limit.it_value.tv_nsec = (long)(limit_ns % 1000000000);
  if (limit_ns) limit.it_interval.tv_nsec = AGAIN_NS;
  if (d->timer_thread) syscall(SYS_timer_settime, (int)d->timer, 0, &limit, nullptr);
}

void timer_set(Device* d, tf_u64 limit_ns) {
  make_timer(d);
  set_limit(d, limit_ns);
}

void timer_stop(Device* d) { set_limit(d, 0); }

void timer_close(Device* d) {
  if (d->timer_thread) syscall(SYS_timer_delete, (int)d->timer);
  d->timer_thread = 0;
}

#endif

} // namespace tf
