// What the dialects share: threads, barriers, collectives, local memory, the kernel table. A dialect's header includes
// this one, defines `static constexpr tf_u32 tf_image_flags`, and ends with the marker that the lowering starts at.
#ifndef TF_SIMT_H
#define TF_SIMT_H
#include "simt/access.h"
#include "simt/checked.h"
#include "simt/collective.h"
#include "simt/kernel.h"
#include "simt/local.h"
#include "simt/sanitizer.h"
#include "simt/schedule.h"
#include "simt/support.h"
#endif
