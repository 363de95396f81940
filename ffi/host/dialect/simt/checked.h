// A struct with this member is copied by a call that binds a reference to it, and clang checks that binding for
// alignment (-fsanitize=alignment), while it does not check the load of a plain struct. The struct stays an aggregate
// of its own size, and its copy one vector move. A GPU faults at a misaligned vector access; so must the host device.
#ifndef TF_SIMT_CHECKED_H
#define TF_SIMT_CHECKED_H
#include "../../image.h"

struct TfChecked {
  TfChecked() = default;
  TF_MEMBER constexpr TfChecked(const TfChecked&) {}
  TF_MEMBER constexpr TfChecked& operator=(const TfChecked&) { return *this; }
};
#define TF_CHECKED_MEMBER [[no_unique_address]] TfChecked tf_checked;

#endif
