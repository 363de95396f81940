// Everything of <stddef.h> that the host device has is in dialect/hip.h, which comes before a source.
