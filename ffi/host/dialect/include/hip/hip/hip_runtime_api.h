// Everything of <hip/hip_runtime_api.h> that the host device has is in dialect/hip.h, which comes before a source.
