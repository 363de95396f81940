// Everything of <math.h> that the host device has is in dialect/cuda.h, which comes before a source.
