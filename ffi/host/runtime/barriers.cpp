// Barriers of a group, a cluster and a grid: counted against the threads that have not returned. All arrivals name the
// same place in the source; two places at once are a divergence, which on a GPU is undefined or hangs.
#include "../dialect/simt/schedule.h"
#include "check.h"

namespace tf {

static void release_barrier(Device* d, TfBarrier* barrier) {
  TfThread *head = barrier->head, *tail = barrier->tail;
  barrier->waiting = 0;
  barrier->head = barrier->tail = nullptr;
  if (d->checking) check_barrier(d, barrier);
  release(d, head, tail);
}

[[noreturn]] static void stop_divergence(TfThread* thread, TfBarrier* barrier, TfSite site) {
  Text text = report(device_of(thread));
  text << "barrier divergence: ";
  put_thread(text, thread);
  (text << " waits at ").site(site) << " while " << barrier->waiting << " threads, among them ";
  put_thread(text, barrier->head);
  (text << ", wait at ").site(barrier->site);
  stop(thread, TF_DIVERGENCE);
}

void barrier_arrive(TfThread* thread, TfBarrier* barrier, TfSite site) {
  Device* d = device_of(thread);
  if (barrier == thread->group->grid && !(d->running->launch.flags & TF_COOPERATIVE))
    stop_fault(thread, "grid barrier in a launch that is not cooperative", site);
  if (barrier->waiting && barrier->site != site) stop_divergence(thread, barrier, site);
  barrier->site = site;
  tf_enqueue(barrier->head, barrier->tail, thread);
  if (++barrier->waiting == barrier->live) release_barrier(d, barrier);
  run_another(d, thread);
}

void barrier_left(Device* d, TfBarrier* barrier) {
  if (barrier->waiting && barrier->waiting == barrier->live) release_barrier(d, barrier);
}

} // namespace tf
