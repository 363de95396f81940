// Everything of <cooperative_groups.h> that the host device has is in dialect/cuda.h, which comes before a source.
