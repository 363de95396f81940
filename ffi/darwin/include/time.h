#pragma once
#if defined(__cplusplus)
extern "C" {
#endif
typedef long time_t;
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
typedef enum { CLOCK_REALTIME = 0, CLOCK_MONOTONIC = 6 } clockid_t;
int clock_gettime(clockid_t, struct timespec*);
int nanosleep(const struct timespec*, struct timespec*);
#if defined(__cplusplus)
}
#endif
