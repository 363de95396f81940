// Everything of <hip/hip_runtime.h> that the host device has is in dialect/hip.h, which comes before a source.
