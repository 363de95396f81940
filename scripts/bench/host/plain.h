// The kernels written for this processor: plain loops, with the sums in the order of the kernel's lanes so that the bits
// are the same. `arguments` are pointers to the launch's arguments, in the kernel's order.
#pragma once

typedef void (*PlainFunction)(void* const* arguments, unsigned rows);
PlainFunction plain_function(const char* name); // null: none of this name
