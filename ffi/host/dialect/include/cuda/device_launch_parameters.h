// Everything of <device_launch_parameters.h> that the host device has is in dialect/cuda.h, which comes before a source.
