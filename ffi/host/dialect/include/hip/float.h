// Everything of <float.h> that the host device has is in dialect/hip.h, which comes before a source.
